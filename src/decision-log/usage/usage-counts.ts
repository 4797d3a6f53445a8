/** Counts use in memory until it is written. A decision costs a few look-ups of objects that are known. */

import type { DecisionUsage, UsingUser } from "../../decisions/usage.ts";
import type { CompiledPolicies } from "../../engine/compile.ts";
import { actionsOf } from "../../engine/decide.ts";
import { type CompiledStatement, matchingAction } from "../../engine/statement.ts";
import type { RequiredPermissions } from "../../model/decision.ts";
import { statementDigest } from "./statement-digest.ts";
import type { UsageRow } from "./usage-rows.ts";

/** Most things that are counted until the next writing; uses of further ones are not. */
const MOST_COUNTED = 500_000;
/** Most actions of one statement that are counted one by one: callers choose the names. */
const MOST_ACTIONS = 200;
const LONGEST_ACTION = 128;
/** Most pairs of a statement and an action that are held against each other for one decision. */
const MOST_TRIED = 1_000;

interface Count extends Omit<UsageRow, "count" | "last"> {
  count: number;
  last: number;
}

/** A use, to be found again without a look-up. */
interface LastUse {
  readonly policies: CompiledPolicies;
  readonly statement: CompiledStatement;
  readonly action: string;
  readonly count: Count;
}

/** The uses of one statement in one set of policies. */
interface StatementUse {
  readonly digest: string;
  readonly groups: readonly string[];
  readonly actions: Map<string, Count>;
}

/** Counts use. */
export class UsageCounts implements DecisionUsage {
  readonly #now: () => number;
  readonly #users = new Map<string, Count>();
  readonly #keys = new Map<string, Count>();
  readonly #served = new Map<string, Count>();
  readonly #groups = new Map<string, Count>();
  readonly #statements = new WeakMap<CompiledPolicies, Map<CompiledStatement, StatementUse>>();
  /** Counts of statements that are not written yet. */
  #touched = new Set<Count>();
  /** Those among them that count for groups. */
  readonly #viaGroups = new WeakMap<Count, readonly string[]>();
  /** The counts of the decision before: in a batch they are those of the next one too. */
  #lastUser: Count | undefined;
  #lastUse: LastUse | undefined;

  /** @param now Unix milliseconds */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  decided(
    user: UsingUser,
    required: RequiredPermissions | null,
    decidedBy: readonly CompiledStatement[] | undefined,
  ): void {
    if (required !== null && "action" in required) {
      this.decidedOne(user, required.action, decidedBy?.[0]);
      return;
    }
    this.#countUser(user, this.#now());
    if (required === null || decidedBy === undefined || decidedBy.length === 0) return;
    const actions = [...actionsOf(required)];
    const statements = new Set(decidedBy);
    const now = this.#now();
    // A tree does not say which of its leaves a statement decided: it counts for all that it names. In a large tree that
    // would be many tries, so the statement counts there without an action.
    const isLarge = statements.size * actions.length > MOST_TRIED;
    for (const statement of statements) {
      if (isLarge) this.#used(user, "", statement, now);
      else {
        for (const action of actions) {
          if (matchingAction(statement, action) !== undefined) this.#used(user, action, statement, now);
        }
      }
    }
  }

  decidedOne(user: UsingUser, action: string, statement: CompiledStatement | undefined): void {
    const now = this.#now();
    this.#countUser(user, now);
    if (statement === undefined) return;
    const last = this.#lastUse;
    if (
      last !== undefined &&
      last.statement === statement &&
      last.policies === user.policies &&
      last.action === action
    ) {
      this.#add1(last.count, now);
    } else this.#used(user, action, statement, now);
  }

  served({ username, userId }: Pick<UsingUser, "username" | "userId">): void {
    this.#count(this.#users, "user", username, userId);
    this.#count(this.#served, "served", username, userId);
  }

  /** Counts that somebody proved to have an access key. */
  usedKey(accessKeyId: string): void {
    this.#count(this.#keys, "key", accessKeyId, "");
  }

  /** Returns what was counted since the last call, and counts from 0 again. */
  taken(): readonly UsageRow[] {
    const rows: UsageRow[] = [];
    for (const count of this.#touched) {
      rows.push({ ...count });
      for (const group of this.#viaGroups.get(count) ?? []) {
        this.#add(this.#groups, "group", group, "", count.count, count.last);
      }
      count.count = 0;
    }
    this.#touched = new Set();
    this.#lastUser = undefined;
    for (const counts of [this.#users, this.#keys, this.#served, this.#groups]) {
      for (const count of counts.values()) rows.push(count);
      counts.clear();
    }
    return rows;
  }

  #countUser({ username, userId }: UsingUser, now: number): void {
    if (userId === "") return;
    const last = this.#lastUser;
    if (last?.part === userId) {
      last.count++;
      last.last = now;
      return;
    }
    this.#add(this.#users, "user", username, userId, 1, now);
    this.#lastUser = this.#users.get(userId);
  }

  #count(counts: Map<string, Count>, kind: UsageRow["kind"], name: string, part: string): void {
    this.#add(counts, kind, name, part, 1, this.#now());
  }

  #add(
    counts: Map<string, Count>,
    kind: UsageRow["kind"],
    name: string,
    part: string,
    more: number,
    last: number,
  ): void {
    const key = part === "" ? name : part;
    const known = counts.get(key);
    if (known !== undefined) {
      known.count += more;
      if (last > known.last) known.last = last;
    } else if (counts.size < MOST_COUNTED) {
      counts.set(key, { kind, name, part, action: "", count: more, last });
    }
  }

  #used(user: UsingUser, asked: string, statement: CompiledStatement, now: number): void {
    const use = this.#useOf(user, statement);
    let count = use.actions.get(asked);
    if (count === undefined) {
      const known = use.actions.size < MOST_ACTIONS && asked.length <= LONGEST_ACTION;
      const action = known ? asked : "";
      count = use.actions.get(action);
      if (count === undefined) {
        const { name } = statement.policy;
        count = { kind: "statement", name, part: use.digest, action, count: 0, last: 0 };
        use.actions.set(action, count);
        if (use.groups.length > 0) this.#viaGroups.set(count, use.groups);
      }
    }
    this.#lastUse = { policies: user.policies, statement, action: asked, count };
    this.#add1(count, now);
  }

  #add1(count: Count, now: number): void {
    if (count.count === 0) {
      if (this.#touched.size >= MOST_COUNTED) return;
      this.#touched.add(count);
    }
    count.count++;
    count.last = now;
  }

  #useOf({ policies, via }: UsingUser, statement: CompiledStatement): StatementUse {
    let uses = this.#statements.get(policies);
    if (uses === undefined) {
      uses = new Map();
      this.#statements.set(policies, uses);
    }
    let use = uses.get(statement);
    if (use === undefined) {
      const { policy, index } = statement;
      const stored = policy.statement[index];
      const groups = via(policy.name).flatMap((way) => ("group" in way ? [way.group] : []));
      use = { digest: stored === undefined ? "" : statementDigest(stored), groups, actions: new Map() };
      uses.set(statement, use);
    }
    return use;
  }
}
