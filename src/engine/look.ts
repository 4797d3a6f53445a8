/** The result of a user's policies for one required permission: a look-up in the indexes of each set. */

import type { ConditionFields } from "../model/decision.ts";
import type { CompiledPolicies } from "./compile.ts";
import type { ConditionResult } from "./condition-part.ts";
import type { CompiledCondition } from "./conditions.ts";
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

const result = {
  deny: undefined as CompiledStatement | undefined,
  fails: false,
  allowed: false,
  /** Units of work. */
  work: 0,
};

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
  result.deny = undefined;
  const { sets } = policies;
  for (let index = 0; index < sets.length; index++) {
    const set = sets[index] as PolicySet;
    lookIn(set.indexOf(wellFormed).resources);
    if (findings.deny !== NO_STATEMENT) noteDeny(policies, set.statementAt(findings.deny));
  }
  result.allowed = findings.allowed;
  result.fails = false;
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
    result.deny = undefined;
    for (let index = 0; index < this.#resources.length; index++) {
      lookIn(this.#resources[index] as readonly ResourceIndex[]);
      if (findings.deny === NO_STATEMENT) continue;
      noteDeny(policies, (policies.sets[index] as PolicySet).statementAt(findings.deny));
    }
    result.allowed = findings.allowed;
    result.fails = false;
    if (this.#failure !== undefined) noteFailure(policies, this.#failure);
    result.work = findings.work;
    return result;
  }
}

function lookIn(indexes: readonly ResourceIndex[]): void {
  findings.deny = NO_STATEMENT;
  for (let index = 0; index < indexes.length; index++) {
    (indexes[index] as ResourceIndex).lookup(required, findings.user, findings);
  }
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
  result.fails = true;
  if (result.deny !== undefined && policies.earlier(failure, result.deny) === failure)
    result.deny = undefined;
}
