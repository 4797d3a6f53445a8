/** The result of a user's policies for one required permission: a look-up in the indexes of each set. */

import type { ConditionFields } from "../../model/decision.ts";
import type { CompiledPolicies } from "../compile/compile.ts";
import type { PolicySet } from "../compile/policy-set.ts";
import type { CompiledCondition } from "../conditions/conditions.ts";
import { Findings, type KnownResults, NO_STATEMENT } from "../matching/matches.ts";
import { RequiredResource } from "../matching/required-resource.ts";
import type { ResourceIndex } from "../matching/resource-index.ts";
import type { CompiledStatement } from "../statement.ts";
import { STEP_UNITS, type Steps } from "../work.ts";
import type { ConditionResults } from "./condition-results.ts";
import type { Leaf, LeafFindings } from "./decide-tree.ts";
import type { DecidingPlace } from "./deciding-place.ts";

/** The user of a look-up. */
interface Looker {
  readonly user: string;
  readonly context: ConditionFields;
  /** True for a name that acts as a wildcard: statements with `${user}` then only deny (security.md §3.1). */
  readonly userOnlyDenies: boolean;
  /** Results of conditions that are known already; further ones are added. */
  readonly known: KnownResults | undefined;
  /** Units of work that conditions may take. @see LookedUp.deferred */
  readonly most: number;
}

/** Units of work that conditions may take in one go. */
export const MOST_AT_ONCE = STEP_UNITS;

// One object each serves all look-ups, so that a look-up allocates nothing.
const findings = new Findings();
/** The looker for whom the findings were begun: of many look-ups in a row, only the first tells them who asks. */
let begun: Looker | undefined;
const required = new RequiredResource();

/** Of each set, the order of its first statement that allows. */
let allows = new Int32Array(8);

/** The result of a look-up. Read it before the next one, which overwrites it. */
export interface LookedUp extends LeafFindings {
  /** Units of work. */
  readonly work: number;
  /** Conditions to evaluate in steps first: as long as there are any, the rest of the result does not hold. */
  readonly deferred: readonly CompiledCondition[] | undefined;
  /** Writes down the place of the statement that decided. */
  tellPlace(place: DecidingPlace): void;
}

/** The result of the last look-up. */
class Looked implements LookedUp {
  deny: CompiledStatement | undefined = undefined;
  /** Set and order of the statement that denies. */
  denySet = 0;
  denyOrder = NO_STATEMENT;
  failure: CompiledStatement | undefined = undefined;
  allowed = false;
  /** Units of work. */
  work = 0;
  deferred: readonly CompiledCondition[] | undefined = undefined;
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

  tellPlace(place: DecidingPlace): void {
    if (this.deny !== undefined) place.be(this.denySet, this.denyOrder);
    else if (this.failure !== undefined) place.beOf(this.failure);
    else if (this.allowed) this.#tellAllow(place);
    else place.beNone();
  }

  #tellAllow(place: DecidingPlace): void {
    const policies = this.policies as CompiledPolicies;
    const { sets } = policies;
    let found = -1;
    for (let index = 0; index < sets.length; index++) {
      if (allows[index] === NO_STATEMENT) continue;
      if (found < 0 || isEarlier(policies, index, found)) found = index;
    }
    place.be(found, allows[found] as number);
  }
}

/** True if the first statement of one set that allows comes before that of another set. */
function isEarlier(policies: CompiledPolicies, one: number, other: number): boolean {
  const statement = statementOf(policies, one);
  const before = statementOf(policies, other);
  return statement !== before && policies.earlier(before, statement) === statement;
}

function statementOf({ sets }: CompiledPolicies, index: number): CompiledStatement {
  return (sets[index] as PolicySet).statementAt(allows[index] as number);
}

const result = new Looked();

/** Looks up one permission. */
export function look(
  policies: CompiledPolicies,
  { action, resource }: Leaf<string>,
  looker: Looker,
): LookedUp {
  const wellFormed = action.toWellFormed();
  required.set(resource.toWellFormed(), policies.arnPrefix);
  beginFindings(looker);
  beginResult(policies);
  const { sets } = policies;
  for (let index = 0; index < sets.length; index++) {
    const set = sets[index] as PolicySet;
    lookIn(set.indexOf(wellFormed).resources, index);
    if (findings.deny !== NO_STATEMENT) noteDeny(policies, index, findings.deny);
  }
  const failure = policies.firstFailure(findings);
  if (failure !== undefined) noteFailure(policies, failure);
  return finished();
}

/** As {@link look}; what is long among the conditions is evaluated in steps. */
export function* lookInSteps(
  policies: CompiledPolicies,
  leaf: Leaf<string>,
  looker: Omit<Looker, "known" | "most">,
  results: ConditionResults,
): Steps<LookedUp> {
  for (;;) {
    const known = results.about(looker.context);
    const looked = look(policies, leaf, { ...looker, known, most: MOST_AT_ONCE });
    if (looked.deferred === undefined) return looked;
    for (const condition of looked.deferred) yield* results.of(condition, looker.context);
  }
}

/** The first statement whose evaluation fails for this user and context; what is long is evaluated in steps. */
export function* failureInSteps(
  policies: CompiledPolicies,
  { user, context }: Pick<Looker, "user" | "context">,
  results: ConditionResults,
): Steps<CompiledStatement | undefined> {
  for (;;) {
    const known = results.about(context);
    beginFindings({ user, context, userOnlyDenies: false, known, most: MOST_AT_ONCE });
    const failure = policies.firstFailure(findings);
    const { deferred } = findings;
    if (deferred === undefined) return failure;
    for (const condition of deferred) yield* results.of(condition, context);
  }
}

function beginFindings(looker: Looker): void {
  begun = looker;
  const { user, context, userOnlyDenies, known, most } = looker;
  findings.begin(context, user, userOnlyDenies);
  findings.known = known;
  findings.most = most;
}

function finished(): LookedUp {
  result.work = findings.work;
  result.deferred = findings.deferred;
  return result;
}

/** Looks up many resources: finds the indexes and the first failure once. */
export class Looking {
  readonly #policies: CompiledPolicies;
  readonly #looker: Looker;
  readonly #resources: readonly (readonly ResourceIndex[])[];
  /** The first failure, once it is known. */
  #failure: { readonly statement: CompiledStatement | undefined } | undefined;

  /** @param looker as for every look-up */
  constructor(policies: CompiledPolicies, action: string, looker: Looker) {
    const wellFormed = action.toWellFormed();
    this.#policies = policies;
    this.#looker = looker;
    this.#resources = policies.sets.map((set) => set.indexOf(wellFormed).resources);
  }

  /** As {@link look}. */
  at(resource: string): LookedUp {
    const policies = this.#policies;
    required.set(resource.toWellFormed(), policies.arnPrefix);
    if (begun === this.#looker) findings.again();
    else beginFindings(this.#looker);
    beginResult(policies);
    for (let index = 0; index < this.#resources.length; index++) {
      lookIn(this.#resources[index] as readonly ResourceIndex[], index);
      if (findings.deny !== NO_STATEMENT) noteDeny(policies, index, findings.deny);
    }
    const failure = this.#firstFailure();
    if (failure !== undefined) noteFailure(policies, failure);
    return finished();
  }

  #firstFailure(): CompiledStatement | undefined {
    if (this.#failure !== undefined) return this.#failure.statement;
    const statement = this.#policies.firstFailure(findings);
    if (findings.deferred === undefined) this.#failure = { statement };
    return statement;
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

function noteDeny(policies: CompiledPolicies, set: number, order: number): void {
  const statement = (policies.sets[set] as PolicySet).statementAt(order);
  const before = result.deny;
  result.deny = policies.earlier(before, statement);
  if (result.deny === before) return;
  result.denySet = set;
  result.denyOrder = order;
}

/** The first deny or failure ends the check. A refusal names a deny only if it comes before a failure. */
function noteFailure(policies: CompiledPolicies, failure: CompiledStatement): void {
  result.failure = failure;
  if (result.deny !== undefined && policies.earlier(failure, result.deny) === failure)
    result.deny = undefined;
}
