/**
 * The result of a user's policies for one required permission: a look-up in the indexes of each set. What a look-up
 * finds lies in an object of its caller, so that it allocates nothing and nobody else overwrites it.
 */

import type { ConditionFields } from "../../model/decision.ts";
import type { CompiledPolicies } from "../compile/compile.ts";
import type { PolicySet } from "../compile/policy-set.ts";
import type { CompiledCondition } from "../conditions/conditions.ts";
import { Findings, type KnownResults, NO_STATEMENT } from "../matching/matches.ts";
import { RequiredResource } from "../matching/required-resource.ts";
import type { ResourceIndex } from "../matching/resource-index.ts";
import { FoundSets, type SetFilter } from "../matching/set-filter.ts";
import type { CompiledStatement } from "../statement.ts";
import { STEP_UNITS, type Steps } from "../work.ts";
import type { ConditionResults } from "./condition-results.ts";
import type { Leaf } from "./decide-tree.ts";
import { type DecidingPlace, FoundPlace, type LeafFindings } from "./deciding-place.ts";

/** The user of a look-up. */
interface Looker {
  readonly user: string;
  readonly context: ConditionFields;
  /** True for a name that acts as a wildcard: statements with `${user}` then only deny (spec/security §3.1). */
  readonly userOnlyDenies: boolean;
  /** Results of conditions that are known already; further ones are added. */
  readonly known: KnownResults | undefined;
  /** Units of work that conditions may take. @see LookedUp.deferred */
  readonly most: number;
}

/** Units of work that conditions may take in one go. */
export const MOST_AT_ONCE = STEP_UNITS;

/** The result of a look-up. It holds until the next one of the same {@link Lookup}. */
export interface LookedUp extends LeafFindings {
  /** Units of work. */
  readonly work: number;
  /** Conditions to evaluate in steps first: as long as there are any, the rest of the result does not hold. */
  readonly deferred: readonly CompiledCondition[] | undefined;
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
  /** Of each set, the order of its first statement that allows. */
  allows = new Int32Array(8);

  begin(policies: CompiledPolicies): void {
    this.policies = policies;
    this.deny = undefined;
    this.failure = undefined;
    this.allowed = false;
    const { length } = policies.sets;
    if (length > this.allows.length) this.allows = new Int32Array(length * 2);
    // Only some of many sets are looked into.
    if (policies.filters !== undefined) this.allows.fill(NO_STATEMENT, 0, length);
  }

  get allow(): CompiledStatement | undefined {
    const { policies } = this;
    if (!this.allowed || policies === undefined) return undefined;
    let first: CompiledStatement | undefined;
    for (const [index, set] of policies.sets.entries()) {
      const order = this.allows[index] as number;
      if (order !== NO_STATEMENT) first = policies.earlier(first, set.statementAt(order));
    }
    return first;
  }

  /** Notes that the statement of a set at a place denies. */
  noteDeny(policies: CompiledPolicies, set: number, order: number): void {
    const statement = (policies.sets[set] as PolicySet).statementAt(order);
    const before = this.deny;
    this.deny = policies.earlier(before, statement);
    if (this.deny === before) return;
    this.denySet = set;
    this.denyOrder = order;
  }

  /** The first deny or failure ends the check. A refusal names a deny only if it comes before a failure. */
  noteFailure(policies: CompiledPolicies, failure: CompiledStatement): void {
    this.failure = failure;
    if (this.deny !== undefined && policies.earlier(failure, this.deny) === failure) this.deny = undefined;
  }

  tellPlace(place: FoundPlace): void {
    if (this.deny !== undefined) place.be(this.denySet, this.denyOrder);
    else if (this.failure !== undefined) place.beOf(this.failure);
    else if (this.allowed) this.#tellAllow(place);
    else place.beNone();
  }

  #tellAllow(place: FoundPlace): void {
    const policies = this.policies as CompiledPolicies;
    const { sets } = policies;
    let found = -1;
    for (let index = 0; index < sets.length; index++) {
      if (this.allows[index] === NO_STATEMENT) continue;
      if (found < 0 || this.#isEarlier(policies, index, found)) found = index;
    }
    place.be(found, this.allows[found] as number);
  }

  /** True if the first statement of one set that allows comes before that of another set. */
  #isEarlier(policies: CompiledPolicies, one: number, other: number): boolean {
    const statement = this.#statementOf(policies, one);
    const before = this.#statementOf(policies, other);
    return statement !== before && policies.earlier(before, statement) === statement;
  }

  #statementOf({ sets }: CompiledPolicies, index: number): CompiledStatement {
    return (sets[index] as PolicySet).statementAt(this.allows[index] as number);
  }
}

/** A question about many resources: the indexes and the first failure are found once. */
export class LookupSeries {
  readonly policies: CompiledPolicies;
  readonly looker: Looker;
  /** Says which of many sets to look into. */
  readonly filter: SetFilter | undefined;
  readonly #action: string;
  /** The indexes of the action, of each set that was looked into. */
  readonly #indexes: (readonly ResourceIndex[] | undefined)[];
  #failure: { readonly statement: CompiledStatement | undefined } | undefined;

  /** @param looker as for every look-up */
  constructor(policies: CompiledPolicies, action: string, looker: Looker) {
    const wellFormed = action.toWellFormed();
    this.policies = policies;
    this.looker = looker;
    this.filter = policies.filters?.of(wellFormed);
    this.#action = wellFormed;
    this.#indexes = new Array(policies.sets.length);
  }

  /** The indexes of the action of the set at a position. */
  indexesAt(position: number): readonly ResourceIndex[] {
    let indexes = this.#indexes[position];
    if (indexes === undefined) {
      indexes = (this.policies.sets[position] as PolicySet).indexOf(this.#action).resources;
      this.#indexes[position] = indexes;
    }
    return indexes;
  }

  /** The first failure. It is kept once it is known. */
  failureWith(findings: Findings): CompiledStatement | undefined {
    if (this.#failure !== undefined) return this.#failure.statement;
    const statement = this.policies.firstFailure(findings);
    if (findings.deferred === undefined) this.#failure = { statement };
    return statement;
  }
}

/** Looks up permissions, one after the other. Whoever decides owns one, and reads no other's results. */
export class Lookup {
  readonly #findings = new Findings();
  readonly #required = new RequiredResource();
  readonly #looked = new Looked();
  readonly #place = new FoundPlace();
  readonly #found = new FoundSets();
  /** The looker for whom the findings were begun: of many look-ups in a row, only the first tells them who asks. */
  #begun: Looker | undefined = undefined;

  /** Looks up one permission. */
  look(policies: CompiledPolicies, { action, resource }: Leaf<string>, looker: Looker): LookedUp {
    const wellFormed = action.toWellFormed();
    this.#required.set(resource.toWellFormed(), policies.arnPrefix);
    this.#begin(looker);
    this.#looked.begin(policies);
    const { sets, filters } = policies;
    if (filters === undefined) {
      for (let index = 0; index < sets.length; index++) {
        this.#lookIn(policies, (sets[index] as PolicySet).indexOf(wellFormed).resources, index);
      }
    } else {
      const { positions, count } = this.#choose(filters.of(wellFormed), sets.length);
      for (let index = 0; index < count; index++) {
        const position = positions[index] as number;
        this.#lookIn(policies, (sets[position] as PolicySet).indexOf(wellFormed).resources, position);
      }
    }
    return this.#finished(policies, policies.firstFailure(this.#findings));
  }

  /** As {@link Lookup.look}, for one resource of many. */
  next(series: LookupSeries, resource: string): LookedUp {
    const { policies, looker, filter } = series;
    const amount = policies.sets.length;
    this.#required.set(resource.toWellFormed(), policies.arnPrefix);
    if (this.#begun === looker) this.#findings.again();
    else this.#begin(looker);
    this.#looked.begin(policies);
    if (filter === undefined) {
      for (let index = 0; index < amount; index++) this.#lookIn(policies, series.indexesAt(index), index);
    } else {
      const { positions, count } = this.#choose(filter, amount);
      for (let index = 0; index < count; index++) {
        const position = positions[index] as number;
        this.#lookIn(policies, series.indexesAt(position), position);
      }
    }
    return this.#finished(policies, series.failureWith(this.#findings));
  }

  /** As {@link Lookup.look}; what is long among the conditions is evaluated in steps. */
  *lookInSteps(
    policies: CompiledPolicies,
    leaf: Leaf<string>,
    looker: Omit<Looker, "known" | "most">,
    results: ConditionResults,
  ): Steps<LookedUp> {
    for (;;) {
      const known = results.about(looker.context);
      const looked = this.look(policies, leaf, { ...looker, known, most: MOST_AT_ONCE });
      if (looked.deferred === undefined) return looked;
      for (const condition of looked.deferred) yield* results.of(condition, looker.context);
    }
  }

  /** The first statement whose evaluation fails for this user and context; what is long is evaluated in steps. */
  *failureInSteps(
    policies: CompiledPolicies,
    { user, context }: Pick<Looker, "user" | "context">,
    results: ConditionResults,
  ): Steps<CompiledStatement | undefined> {
    for (;;) {
      const known = results.about(context);
      this.#begin({ user, context, userOnlyDenies: false, known, most: MOST_AT_ONCE });
      const failure = policies.firstFailure(this.#findings);
      const { deferred } = this.#findings;
      if (deferred === undefined) return failure;
      for (const condition of deferred) yield* results.of(condition, context);
    }
  }

  /** The place of the statement that decided the last look-up. It holds until the next one. */
  place(): DecidingPlace {
    this.#looked.tellPlace(this.#place);
    return this.#place;
  }

  #begin(looker: Looker): void {
    this.#begun = looker;
    const { user, context, userOnlyDenies, known, most } = looker;
    const findings = this.#findings;
    findings.begin(context, user, userOnlyDenies);
    findings.known = known;
    findings.most = most;
  }

  /** The sets to look into. They hold until the next call. */
  #choose(filter: SetFilter, sets: number): FoundSets {
    this.#found.begin(sets);
    filter.find(this.#required, this.#found);
    return this.#found;
  }

  /** Looks into the indexes of the set at a position. */
  #lookIn(policies: CompiledPolicies, indexes: readonly ResourceIndex[], position: number): void {
    const findings = this.#findings;
    const looked = this.#looked;
    findings.deny = NO_STATEMENT;
    findings.allow = NO_STATEMENT;
    for (let index = 0; index < indexes.length; index++) {
      (indexes[index] as ResourceIndex).lookup(this.#required, findings.user, findings);
    }
    looked.allows[position] = findings.allow;
    if (findings.allow !== NO_STATEMENT) looked.allowed = true;
    if (findings.deny !== NO_STATEMENT) looked.noteDeny(policies, position, findings.deny);
  }

  #finished(policies: CompiledPolicies, failure: CompiledStatement | undefined): LookedUp {
    const looked = this.#looked;
    if (failure !== undefined) looked.noteFailure(policies, failure);
    looked.work = this.#findings.work;
    looked.deferred = this.#findings.deferred;
    return looked;
  }
}
