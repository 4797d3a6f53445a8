/** Counts use in memory until it is written (spec/decision-log §5.1). */

import type { CompiledPolicies } from "@svc-authorizer/policy/engine/compile/compile.ts";
import type { PolicySet } from "@svc-authorizer/policy/engine/compile/policy-set.ts";
import type { DecisionUsage, UserUse, UsingUser } from "../decisions/usage.ts";
import { coarseClock } from "./coarse-clock.ts";
import { type ActionUse, type CountBounds, SetUse } from "./set-use.ts";
import type { NamedCount, UsageRow } from "./usage-rows.ts";
import { CountedUser, type SharedCounts } from "./user-use.ts";

/** Most things that are counted until the next writing; uses of further ones are not. */
const MOST_COUNTED = 500_000;
/** Most pages of numbers, of 2 KiB each. */
const MOST_PAGES = 8_192;
/** Milliseconds of a tick: uses are told in seconds, and a small integer lasts for years. */
const TICK_MS = 100;

/** Counts use. */
export class UsageCounts implements DecisionUsage, SharedCounts, CountBounds {
  readonly #clock: () => number;
  readonly #began: number;
  readonly #sets = new WeakMap<PolicySet, SetUse>();
  readonly #policies = new WeakMap<CompiledPolicies, (SetUse | undefined)[]>();
  readonly #users = new Map<string, NamedCount>();
  readonly #keys = new Map<string, NamedCount>();
  readonly #served = new Map<string, NamedCount>();
  readonly #groups = new Map<string, NamedCount>();
  /** Users and groups that were counted by decisions. */
  #counted: NamedCount[] = [];
  #actions: ActionUse[] = [];
  /** Number of users, groups, and statements with their actions that decisions counted. */
  #things = 0;
  #pages = 0;
  #hasMissed = false;

  /** @param now Unix milliseconds */
  constructor(now: () => number = coarseClock()) {
    this.#clock = now;
    this.#began = now();
  }

  now(): number {
    // Up: a use must not be told to be older than the thing that was used.
    return Math.ceil((this.#clock() - this.#began) / TICK_MS) | 0;
  }

  timeOf(ticks: number): number {
    return this.#began + ticks * TICK_MS;
  }

  of(user: UsingUser): UserUse {
    return new CountedUser(user, this);
  }

  sets(policies: CompiledPolicies): (SetUse | undefined)[] {
    let uses = this.#policies.get(policies);
    if (uses === undefined) {
      uses = new Array<SetUse | undefined>(policies.sets.length).fill(undefined);
      this.#policies.set(policies, uses);
    }
    return uses;
  }

  ofSet(set: PolicySet): SetUse {
    let use = this.#sets.get(set);
    if (use === undefined) {
      use = new SetUse(set.order, this);
      this.#sets.set(set, use);
    }
    return use;
  }

  add(count: NamedCount, now: number): void {
    if (count.count === 0) {
      if (!this.mayCount()) return;
      this.#counted.push(count);
    }
    count.count++;
    count.last = now;
  }

  group(name: string): NamedCount {
    let count = this.#groups.get(name);
    if (count === undefined) {
      count = { kind: "group", name, part: "", action: "", count: 0, last: 0 };
      this.#groups.set(name, count);
    }
    return count;
  }

  mayCount(): boolean {
    if (this.#things >= MOST_COUNTED) return this.#missing();
    this.#things++;
    return true;
  }

  forget(things: number): void {
    this.#things -= things;
  }

  mayAddPage(): boolean {
    if (this.#pages >= MOST_PAGES) return this.#missing();
    this.#pages++;
    return true;
  }

  /** True if a use was not counted since the last call, for want of room. */
  takeMissed(): boolean {
    const hasMissed = this.#hasMissed;
    this.#hasMissed = false;
    return hasMissed;
  }

  #missing(): false {
    this.#hasMissed = true;
    return false;
  }

  dropPages(pages: number): void {
    this.#pages -= pages;
  }

  touched(use: ActionUse): void {
    this.#actions.push(use);
  }

  served({ username, userId }: Pick<UsingUser, "username" | "userId">): void {
    this.#count(this.#users, "user", username, userId);
    this.#count(this.#served, "served", username, userId);
  }

  /** Counts that somebody proved to have an access key. */
  usedKey(accessKeyId: string): void {
    this.#count(this.#keys, "key", accessKeyId, "");
  }

  #count(counts: Map<string, NamedCount>, kind: UsageRow["kind"], name: string, part: string): void {
    const key = part === "" ? name : part;
    const known = counts.get(key);
    if (known !== undefined) {
      known.count++;
      known.last = this.now();
    } else if (counts.size < MOST_COUNTED) {
      counts.set(key, { kind, name, part, action: "", count: 1, last: this.now() });
    } else this.#hasMissed = true;
  }

  /** Yields what was counted since the last call, and counts from 0 again. A thing may come in several rows. */
  *taken(): Generator<UsageRow> {
    for (const counts of [this.#users, this.#keys, this.#served]) {
      const rows = [...counts.values()];
      counts.clear();
      for (const count of rows) yield this.#rowOf(count);
    }
    const counted = this.#counted;
    this.#counted = [];
    // Users keep the counts of their groups; who comes later gets others.
    this.#groups.clear();
    for (const count of counted) {
      const row = this.#rowOf(count);
      count.count = 0;
      this.#things--;
      yield row;
    }
    const actions = this.#actions;
    this.#actions = [];
    for (const use of actions) yield* use.taken();
  }

  #rowOf({ kind, name, part, action, count, last }: NamedCount): UsageRow {
    return { kind, name, part, action, count, last: this.timeOf(last) };
  }
}
