/** The result of a user's policies for one required permission: a look-up in the indexes of each set. */

import type { ConditionFields } from "../model/decision.ts";
import type { CompiledPolicies } from "./compile.ts";
import type { ConditionResult } from "./conditions/condition-part.ts";
import type { CompiledCondition } from "./conditions/conditions.ts";
import type { Leaf, LeafFindings } from "./decide-tree.ts";
import { Findings, NO_STATEMENT } from "./matches.ts";
import type { PolicySet } from "./policy-set.ts";
import { RequiredResource } from "./required-resource.ts";
import type { ResourceIndex } from "./resource-index.ts";
import type { CompiledStatement } from "./statement.ts";

/** The user of a look-up. */
export interface Looker {
  readonly user: string;
  readonly context: ConditionFields;
  /** True for a name that acts as a wildcard: statements with `${user}` then only deny (security.md §3.1). */
  readonly userOnlyDenies: boolean;
  /** Earlier result of the part that does not depend on the resource, if there is one. */
  readonly known?: KnownOfContext;
}

/** The result of policies for a user and condition fields, as far as it does not depend on the resource. */
export interface KnownOfContext {
  readonly failure: CompiledStatement | undefined;
  readonly conditions: ReadonlyMap<CompiledCondition, ConditionResult>;
}

// One object each serves all look-ups, so that a look-up allocates nothing.
const findings = new Findings();
const required = new RequiredResource();

/** Of each set, the order of its first statement that allows. */
let allows = new Int32Array(8);

/** The result of the last look-up. */
class Looked implements LeafFindings {
  deny: CompiledStatement | undefined = undefined;
  failure: CompiledStatement | undefined = undefined;
  allowed = false;
  /** Units of work. */
  work = 0;
  policies: CompiledPolicies | undefined = undefined;

  get allow(): CompiledStatement | undefined {
    const { policies } = this;
    if (!this.allowed || policies === undefined) return undefined;
    let first: CompiledStatement | undefined;
    for (const [index, set] of policies.sets.entries()) {
      const order = allows[index] as number;
      if (order !== NO_STATEMENT) first = policies.earlier(first, set.statementAt(order));
    }
    return first;
  }
}

const result = new Looked();

/** Looks up one permission. Read the result before the next call, which overwrites it. */
export function look(
  policies: CompiledPolicies,
  { action, resource }: Leaf<string>,
  { user, context, userOnlyDenies, known }: Looker,
): LeafFindings & { readonly work: number } {
  const wellFormed = action.toWellFormed();
  required.set(resource.toWellFormed(), policies.arnPrefix);
  findings.begin(context, user, userOnlyDenies);
  if (known !== undefined) findings.known = known.conditions;
  beginResult(policies);
  const { sets } = policies;
  for (let index = 0; index < sets.length; index++) {
    const set = sets[index] as PolicySet;
    lookIn(set.indexOf(wellFormed).resources, index);
    if (findings.deny !== NO_STATEMENT) noteDeny(policies, set.statementAt(findings.deny));
  }
  const failure = known !== undefined ? known.failure : firstFailure(policies, context, user);
  if (failure !== undefined) noteFailure(policies, failure);
  result.work = findings.work;
  return result;
}

/** Looks up many resources: finds the indexes and the first failure once. */
export class Looking {
  readonly #policies: CompiledPolicies;
  readonly #looker: Looker;
  readonly #resources: readonly (readonly ResourceIndex[])[];
  readonly #failure: CompiledStatement | undefined;

  constructor(policies: CompiledPolicies, action: string, looker: Looker) {
    const wellFormed = action.toWellFormed();
    this.#policies = policies;
    this.#looker = looker;
    this.#resources = policies.sets.map((set) => set.indexOf(wellFormed).resources);
    this.#failure = policies.firstFailure(looker.context, looker.user);
  }

  /** As {@link look}. */
  at(resource: string): LeafFindings & { readonly work: number } {
    const policies = this.#policies;
    const { user, context, userOnlyDenies } = this.#looker;
    required.set(resource.toWellFormed(), policies.arnPrefix);
    findings.begin(context, user, userOnlyDenies);
    beginResult(policies);
    for (let index = 0; index < this.#resources.length; index++) {
      lookIn(this.#resources[index] as readonly ResourceIndex[], index);
      if (findings.deny === NO_STATEMENT) continue;
      noteDeny(policies, (policies.sets[index] as PolicySet).statementAt(findings.deny));
    }
    if (this.#failure !== undefined) noteFailure(policies, this.#failure);
    result.work = findings.work;
    return result;
  }
}

function beginResult(policies: CompiledPolicies): void {
  result.policies = policies;
  result.deny = undefined;
  result.failure = undefined;
  result.allowed = false;
  if (policies.sets.length > allows.length) allows = new Int32Array(policies.sets.length * 2);
}

/** Looks into the indexes of the set at a position. */
function lookIn(indexes: readonly ResourceIndex[], position: number): void {
  findings.deny = NO_STATEMENT;
  findings.allow = NO_STATEMENT;
  for (let index = 0; index < indexes.length; index++) {
    (indexes[index] as ResourceIndex).lookup(required, findings.user, findings);
  }
  allows[position] = findings.allow;
  if (findings.allow !== NO_STATEMENT) result.allowed = true;
}

function firstFailure(
  policies: CompiledPolicies,
  context: ConditionFields,
  user: string,
): CompiledStatement | undefined {
  return policies.canFail ? policies.firstFailure(context, user) : undefined;
}

function noteDeny(policies: CompiledPolicies, statement: CompiledStatement): void {
  result.deny = policies.earlier(result.deny, statement);
}

/** The first deny or failure ends the check. A refusal names a deny only if it comes before a failure. */
function noteFailure(policies: CompiledPolicies, failure: CompiledStatement): void {
  result.failure = failure;
  if (result.deny !== undefined && policies.earlier(failure, result.deny) === failure)
    result.deny = undefined;
}
