/** Requests that two sets of policies decide differently, in a readable form if possible. */

import { type CompiledPolicies, compile } from "../../engine/compile/compile.ts";
import { decide } from "../../engine/decide/decide.ts";
import { type Determining, explain } from "../../engine/explain/explain.ts";
import { bindUser } from "../../engine/patterns/resource-pattern.ts";
import type {
  DecisionContext,
  Effect,
  FieldValue,
  RequiredPermissions,
  StatementName,
} from "../../model/decision.ts";
import type { Condition, NamedStatements } from "../../model/policy.ts";
import type { KnownAction, Vocabulary } from "../../model/policy-warnings.ts";
import { contextsFor, NO_ADDRESS } from "./condition-context.ts";
import type { Point } from "./point-search.ts";
import type { Rule } from "./rules.ts";

/** A request that is allowed after and not before, confirmed by the engine. */
export interface Counterexample {
  readonly user: string;
  readonly required: RequiredPermissions;
  readonly context: Readonly<Record<string, FieldValue>>;
  /** `neutral` or `deny`. */
  readonly before: Effect;
  readonly after: "allow";
}

/** The statements behind a counterexample. */
interface Blame {
  /** Every statement after that allows it. */
  readonly allowedBy: readonly StatementName[];
  /** The statements of before that deny it, by their effect or because they cannot be evaluated. */
  readonly deniedBy: readonly (StatementName & { readonly failed: boolean })[];
}

/** True for a counterexample that the wanted statements decide. */
type Fits = (found: Counterexample) => boolean;

/** Replaces wildcards and placeholders in readable requests. */
const FILLER = "x";

/** Asks the engine about two sets of policies. */
export class Confirmation {
  readonly #before: CompiledPolicies;
  readonly #after: CompiledPolicies;
  readonly #vocabulary: Partial<Vocabulary>;

  constructor(
    before: readonly NamedStatements[] | CompiledPolicies,
    after: readonly NamedStatements[] | CompiledPolicies,
    partition: string,
    vocabulary: Partial<Vocabulary> = {},
  ) {
    const compiled = (side: typeof before): CompiledPolicies =>
      "statements" in side ? side : compile(side, { partition, evaluator: "extended" });
    this.#before = compiled(before);
    this.#after = compiled(after);
    this.#vocabulary = vocabulary;
  }

  /** The request as a counterexample, if it is one. */
  ask(user: string, required: RequiredPermissions, context: DecisionContext): Counterexample | undefined {
    const request = { user, required, context };
    if (decide(this.#after, request).effect !== "allow") return undefined;
    const before = decide(this.#before, request).effect;
    if (before === "allow") return undefined;
    return { user, required, context: Object.fromEntries(context), before, after: "allow" };
  }

  /** The statements that decide a counterexample on both sides. */
  blame({ user, required, context, before }: Counterexample): Blame {
    const request = { user, required, context: new Map(Object.entries(context)) };
    const placeOf = ({ policy, statement, sid }: Determining): StatementName =>
      sid === undefined ? { policy, statement } : { policy, statement, sid };
    const denied = before === "deny" ? explain(this.#before, request).determining : [];
    return {
      allowedBy: explain(this.#after, request).determining.map(placeOf),
      deniedBy: denied.map((one) => ({ ...placeOf(one), failed: one.action === "" })),
    };
  }

  /**
   * A counterexample at a point: without condition fields if possible, else with values made from the conditions. The
   * first that fits wins, else the first. Undefined if none was found; other values may still give one.
   * @param malformed a field whose value must not be an IP address
   */
  at(
    user: string,
    point: Point,
    conditions: readonly Condition[],
    fits: Fits,
    malformed?: string,
  ): Counterexample | undefined {
    let first: Counterexample | undefined;
    for (const context of contextsFor(conditions)) {
      const given = malformed === undefined ? context : new Map([...context, [malformed, NO_ADDRESS]]);
      const found = this.ask(user, point, given);
      if (found === undefined) continue;
      if (fits(found)) return found;
      first ??= found;
    }
    return first;
  }

  /** A counterexample with a known action and a resource of its kind, if one fits; else `found`. */
  readable(found: Counterexample, point: Point, rules: readonly Rule[], fits: Fits): Counterexample {
    const context = new Map(Object.entries(found.context));
    for (const action of this.#actionsLike(point.action)) {
      for (const resource of this.#resourcesLike(action, point.resource, rules, found.user)) {
        const better = this.ask(found.user, { action, resource }, context);
        if (better !== undefined && fits(better)) return better;
      }
    }
    return found;
  }

  #actionsLike(action: string): readonly string[] {
    const { actions } = this.#vocabulary;
    if (actions === undefined || actions.has(action)) return [action];
    const [asked, others] = [true, false].map((required) =>
      [...actions.values()].filter(({ requiredByAnEndpoint }) => requiredByAnEndpoint === required),
    ) as [KnownAction[], KnownAction[]];
    return [...[...asked, ...others].map(({ name }) => name), action];
  }

  #resourcesLike(action: string, resource: string, rules: readonly Rule[], user: string): readonly string[] {
    const { actions, resourceTypes } = this.#vocabulary;
    const kinds = actions?.get(action)?.resources ?? [];
    const asked = kinds.map((kind) =>
      kind === "*" ? "*" : resourceTypes?.get(kind)?.arn.replace(/\{[^{}]*\}/g, FILLER),
    );
    const written = rules
      .flatMap(({ resources }) => resources)
      .filter((pattern) => pattern !== "*")
      .map((pattern) => bindUser(pattern, user).replaceAll(/[*?]/g, FILLER));
    return [...asked.filter((one) => one !== undefined), ...written, resource];
  }
}
