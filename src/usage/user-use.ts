/** The use of one user, of the groups of the user and of the statements that decide. */

import type { CompiledPolicies } from "@svc-authorizer/policy/engine/compile/compile.ts";
import type { PolicySet } from "@svc-authorizer/policy/engine/compile/policy-set.ts";
import { actionsOf } from "@svc-authorizer/policy/engine/decide/decide.ts";
import type { DecidingPlace } from "@svc-authorizer/policy/engine/decide/deciding-place.ts";
import { NO_STATEMENT } from "@svc-authorizer/policy/engine/matching/matches.ts";
import { type CompiledStatement, matchingAction } from "@svc-authorizer/policy/engine/statement.ts";
import type { RequiredPermissions } from "@svc-authorizer/policy/model/decision.ts";
import type { Via } from "@svc-authorizer/policy/model/policy.ts";
import type { UseInARow, UserUse, UsingUser } from "../decisions/usage.ts";
import type { SetUse } from "./set-use.ts";
import type { NamedCount } from "./usage-rows.ts";

/** Most pairs of a statement and an action that are held against each other for one decision. */
const MOST_TRIED = 1_000;

/** The counts that users share. */
export interface SharedCounts {
  /** The time in ticks. */
  now(): number;
  /** Counts one use. */
  add(count: NamedCount, now: number): void;
  /** The count of a group. */
  group(name: string): NamedCount;
  /** The uses of the sets of policies, in their order, for all users who have these; {@link ofSet} gives those that lack. */
  sets(policies: CompiledPolicies): (SetUse | undefined)[];
  /** The use of one set. */
  ofSet(set: PolicySet): SetUse;
}

/** Counts the use of one user. */
export class CountedUser implements UserUse, NamedCount {
  readonly kind = "user";
  readonly name: string;
  /** "" for a subject that the directory does not know, which counts for nothing itself. */
  readonly part: string;
  readonly action = "";
  count = 0;
  last = 0;
  readonly #shared: SharedCounts;
  readonly #sets: readonly PolicySet[];
  /** Of the sets that decided: of a thousand, few do. */
  readonly #uses: (SetUse | undefined)[];
  readonly #via: UsingUser["via"];
  /** The groups through which all policies reach the user; undefined if they differ between policies. */
  readonly #groups: readonly NamedCount[] | undefined;
  #groupsByPolicy: Map<CompiledStatement["policy"], readonly NamedCount[]> | undefined = undefined;

  constructor({ userId, username, via, onlyVia, policies }: UsingUser, shared: SharedCounts) {
    this.name = username;
    this.part = userId;
    this.#shared = shared;
    this.#sets = policies.sets;
    this.#uses = shared.sets(policies);
    this.#via = via;
    this.#groups = onlyVia && this.#groupsAmong([onlyVia]);
  }

  decidedOne(action: string, place: DecidingPlace): void {
    this.#one(action, place, this.#shared.now());
  }

  inARow(action: string): UseInARow {
    const now = this.#shared.now();
    return { decided: (place) => this.#one(action, place, now) };
  }

  #one(action: string, { set, order, statement }: DecidingPlace, now: number): void {
    if (this.part !== "") this.#shared.add(this, now);
    if (set >= 0) this.#used(set, order, action, now);
    else if (statement !== undefined) this.#usedStatement(statement, action, now);
  }

  decided(required: RequiredPermissions | null, decidedBy: readonly CompiledStatement[] | undefined): void {
    const now = this.#shared.now();
    if (this.part !== "") this.#shared.add(this, now);
    if (required === null || decidedBy === undefined || decidedBy.length === 0) return;
    if ("action" in required) {
      this.#usedStatement(decidedBy[0] as CompiledStatement, required.action, now);
      return;
    }
    const actions = [...actionsOf(required)];
    const statements = new Set(decidedBy);
    // A tree does not say which of its leaves a statement decided: it counts for all that it names. In a large tree that
    // would be many tries, so the statement counts there without an action.
    const isLarge = statements.size * actions.length > MOST_TRIED;
    for (const statement of statements) {
      if (isLarge) this.#usedStatement(statement, "", now);
      else {
        for (const action of actions) {
          if (matchingAction(statement, action) !== undefined) this.#usedStatement(statement, action, now);
        }
      }
    }
  }

  #usedStatement(statement: CompiledStatement, action: string, now: number): void {
    for (const [set, { order: places }] of this.#sets.entries()) {
      const order = places.positionOf(statement);
      if (order === NO_STATEMENT) continue;
      this.#used(set, order, action, now);
      return;
    }
  }

  #used(set: number, order: number, action: string, now: number): void {
    let use = this.#uses[set];
    if (use === undefined) {
      use = this.#shared.ofSet(this.#sets[set] as PolicySet);
      this.#uses[set] = use;
    }
    use.ofAction(action).add(order, now);
    const groups = this.#groups ?? this.#groupsOf(use.order.statementAt(order).policy);
    for (let index = 0; index < groups.length; index++) this.#shared.add(groups[index] as NamedCount, now);
  }

  #groupsOf(policy: CompiledStatement["policy"]): readonly NamedCount[] {
    this.#groupsByPolicy ??= new Map();
    let groups = this.#groupsByPolicy.get(policy);
    if (groups === undefined) {
      groups = this.#groupsAmong(this.#via(policy.name));
      this.#groupsByPolicy.set(policy, groups);
    }
    return groups;
  }

  #groupsAmong(ways: readonly Via[]): readonly NamedCount[] {
    return ways.flatMap((way) => ("group" in way ? [this.#shared.group(way.group)] : []));
  }
}
