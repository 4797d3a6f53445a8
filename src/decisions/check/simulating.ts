/** `/simulate`: decisions from given policies, or as if a user's policies were changed (spec/decision-api §3.5). */

import { type CompiledPolicies, compileInSteps } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { hasActionOnAnyResource, isListedInSteps } from "@svc-authorizer/policy/engine/decide/list-filter.ts";
import type { Steps } from "@svc-authorizer/policy/engine/work.ts";
import type { NamedStatements, Via } from "@svc-authorizer/policy/model/policy.ts";
import { compareUtf8 } from "@svc-authorizer/policy/model/utf8-order.ts";
import type { Directory } from "../../directory/directory.ts";
import type { Principal } from "../../directory/principal.ts";
import type { Scheduler, Waiter, WorkBudget } from "../../schedule/scheduler.ts";
import type { CompiledSets } from "../compiled-sets.ts";
import type { SimulationAnswer, SimulationCase } from "../decisions.ts";
import type { MirrorRule } from "../mirror-rule.ts";
import type { Deciding } from "./deciding.ts";
import type { NativeFields } from "./native-fields.ts";

/** Options of {@link Simulating}. */
interface SimulatingOptions {
  readonly directory: Directory;
  /** Decides for users with more policies than `policiesPerUser`. */
  readonly sets: Pick<CompiledSets, "denyAll">;
  readonly policiesPerUser: number;
  readonly partition: string;
  readonly scheduler: Scheduler;
  readonly workBudget: (waiter?: Waiter) => WorkBudget;
  readonly native: NativeFields;
  readonly deciding: Deciding;
  /** Makes mirrors read-only; undefined: there are none. */
  readonly rule: MirrorRule | undefined;
}

interface Candidate {
  readonly policies: readonly NamedStatements[];
  /** True for more policies than a user may have. */
  readonly tooMany?: boolean;
  readonly via: ReadonlyMap<string, readonly Via[]>;
  /** The user, whose registered properties conditions read. */
  readonly principal?: Principal;
}

const NOTHING = { and: [] } as const;
/** Has no registered properties. */
const NOBODY = { properties: {} };

/** Simulates decisions. It validates, stores and caches nothing. */
export class Simulating {
  readonly #options: SimulatingOptions;

  constructor(options: SimulatingOptions) {
    this.#options = options;
  }

  /** Answers one case. */
  async simulate(simulation: SimulationCase): Promise<SimulationAnswer> {
    const { user, required, context, evaluator, list } = simulation;
    const { deciding, partition, scheduler, native, workBudget } = this.#options;
    const budget = simulation.budget ?? workBudget(simulation.call);
    const call = { ...simulation, budget, entrance: "simulate" } as const;
    const request = { user, required: required ?? NOTHING, context };
    const candidate = await this.#candidate(simulation);
    if (candidate === undefined) return deciding.unknownUser(request, call);
    // A data server gets all policies of a user, however many.
    const policies =
      candidate.tooMany === true && evaluator === "extended"
        ? this.#options.sets.denyAll
        : await scheduler.run(compileInSteps(candidate.policies, { partition, evaluator }), { budget });
    if (list !== undefined) return scheduler.run(listAnswer(policies, user, list), { budget });
    const via = (policy: string): readonly Via[] => candidate.via.get(policy) ?? [{ user }];
    const { principal = NOBODY } = candidate;
    // A data server does not know what is registered here.
    const isHere = evaluator === "extended" || simulation.candidate !== undefined;
    const fields = isHere ? await native.of(context, { principal, policies }, request.required) : {};
    return deciding.check({ policies, via, cache: "miss" }, { ...request, ...fields }, call);
  }

  async #candidate({ user, policies, candidate }: SimulationCase): Promise<Candidate | undefined> {
    const principal = await this.#options.directory.principal(user);
    if (candidate === undefined) {
      return { policies: policies ?? [], via: new Map(), ...(principal !== undefined && { principal }) };
    }
    // An inactive user can do nothing, whatever policies are attached.
    if (principal === undefined || principal.isInactive) return undefined;
    const changed = new Map<string, NamedStatements>(
      principal.policies.map((policy) => [policy.name, policy]),
    );
    for (const policy of candidate.replace) changed.set(policy.name, policy);
    for (const name of candidate.remove) changed.delete(name);
    // Mirrors stay read-only, whatever is tried.
    const rule = (await this.#options.rule?.of(user))?.policies ?? [];
    return {
      policies: [...[...changed.values()].sort((a, b) => compareUtf8(a.name, b.name)), ...rule],
      tooMany: changed.size > this.#options.policiesPerUser,
      principal,
      via: new Map(principal.policies.map(({ name, via }) => [name, via])),
    };
  }
}

function* listAnswer(
  policies: CompiledPolicies,
  user: string,
  { action, resource }: { readonly action: string; readonly resource: string },
): Steps<SimulationAnswer> {
  for (const set of policies.sets) yield* set.indexes.build(action.toWellFormed());
  return {
    any_resource: hasActionOnAnyResource(policies, action),
    listed: yield* isListedInSteps(policies, user, action, resource),
  };
}
