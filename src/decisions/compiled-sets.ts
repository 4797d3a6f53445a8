/**
 * Compiled policies, shared by all users who have them: a policy is compiled once for each version, the policies of a
 * group are indexed once, and the compiled form of a user is composed of these.
 */

import { createHash } from "node:crypto";
import {
  attachedTogether,
  type PoliciesOfHolder,
} from "@svc-authorizer/policy/engine/compile/attached-together.ts";
import { CompiledPolicies, changedPlaces } from "@svc-authorizer/policy/engine/compile/compile.ts";
import {
  type CompiledPolicy,
  compilePolicyInSteps,
  compileShortPolicy,
} from "@svc-authorizer/policy/engine/compile/compiled-policy.ts";
import { denyAllPolicies } from "@svc-authorizer/policy/engine/compile/deny-all.ts";
import { type PolicySet, policySetInSteps } from "@svc-authorizer/policy/engine/compile/policy-set.ts";
import { StatementPool } from "@svc-authorizer/policy/engine/statement.ts";
import { finish, STEP_UNITS, type Steps } from "@svc-authorizer/policy/engine/work.ts";
import type { StoredPolicy } from "@svc-authorizer/policy/model/held-policies.ts";
import type { Statement } from "@svc-authorizer/policy/model/policy.ts";
import { LRUCache } from "lru-cache";
import type { Scheduler } from "../schedule/scheduler.ts";
import { Turns } from "../schedule/turns.ts";
import { WorkQueue } from "../schedule/work-queue.ts";

/** Number of sets that are kept without a cached user, for users whose entry just expired. */
const KEPT_SETS = 16;
/** Most units of work of indexing all of them: of a very large set, each change makes another one. */
const KEPT_PRICE = 200_000_000;
/** Users of more sets share what is composed of them by the numbers of the sets. */
const MANY = 16;
/** Compositions of many sets among which one is looked for that differs in few of them, after a change. */
const RECENT = 64;
/** Up to this many policies are named as they are. */
const FEW = 8;
/** A set within these bounds is compiled in one go: about a millisecond. */
const SMALL = 200;
const SHORT = 50_000;
/** Number of concurrent compilations. */
const MOST_COMPILATIONS = 2;

/** Compiles policies, each once while it is in use. */
export class CompiledSets {
  readonly #partition: string;
  readonly #scheduler: Scheduler;
  readonly #queue = new WorkQueue(MOST_COMPILATIONS);
  readonly #pool = new StatementPool("extended");
  /** By the statements as they were read: a policy has the same as long as nobody writes it. */
  readonly #policies = new WeakMap<readonly Statement[], CompiledPolicy>();
  readonly #sets = new WeakValues<PolicySet>();
  readonly #kept = new LRUCache<string, PolicySet>({
    max: KEPT_SETS,
    maxSize: KEPT_PRICE,
    sizeCalculation: ({ price }) => Math.max(1, Math.ceil(price)),
  });
  readonly #running = new Map<string, Promise<PolicySet>>();
  /** The sets of lists that came before: of a group, all members have the same list. */
  readonly #byList = new WeakMap<readonly StoredPolicy[], PolicySet>();
  readonly #many = new WeakValues<CompiledPolicies>();
  /** The newest of them, in a circle. */
  readonly #recent: WeakRef<CompiledPolicies>[] = [];
  #nextRecent = 0;
  readonly #compositions: Composition = { policies: undefined, longer: new WeakMap() };

  /** Denies everything, for a user with too many policies. */
  readonly denyAll: CompiledPolicies;

  constructor(partition: string, scheduler: Scheduler) {
    this.#partition = partition;
    this.#scheduler = scheduler;
    this.denyAll = denyAllPolicies(partition);
  }

  /** Sets in memory. */
  get size(): number {
    return this.#sets.size;
  }

  /**
   * The compiled form of a user's policies, composed of existing sets with the same policies in the same versions;
   * missing ones are compiled now.
   */
  async get(held: readonly PoliciesOfHolder[]): Promise<CompiledPolicies> {
    const sets: PolicySet[] = [];
    const turns = new Turns();
    for (const together of attachedTogether(held)) {
      let set = this.#byList.get(together);
      if (set === undefined) {
        if (turns.spent) await turns.yield();
        set = await this.#set(together);
        this.#byList.set(together, set);
      }
      sets.push(set);
    }
    return sets.length > MANY ? this.#composedOfMany(sets) : this.#composed(sets);
  }

  /** As {@link #composed}, for lists that would be long ways to follow. */
  #composedOfMany(sets: readonly PolicySet[]): CompiledPolicies {
    const key = keyOfSets(sets);
    let policies = this.#many.get(key);
    // Other sets may have the same key.
    if (policies === undefined || changedPlaces(policies.sets, sets)?.length !== 0) {
      const options = { partition: this.#partition, evaluator: "extended" } as const;
      policies = new CompiledPolicies(options, sets, this.#earlier(sets));
      this.#many.set(key, policies);
      this.#recent[this.#nextRecent] = new WeakRef(policies);
      this.#nextRecent = (this.#nextRecent + 1) % RECENT;
    }
    return policies;
  }

  /** An earlier composition of nearly the same sets. */
  #earlier(sets: readonly PolicySet[]): CompiledPolicies | undefined {
    for (const recent of this.#recent) {
      const policies = recent.deref();
      if (policies !== undefined && changedPlaces(policies.sets, sets) !== undefined) return policies;
    }
    return undefined;
  }

  /** Users with the same sets share what is composed of them. */
  #composed(sets: readonly PolicySet[]): CompiledPolicies {
    let node = this.#compositions;
    for (const set of sets) {
      let next = node.longer.get(set);
      if (next === undefined) {
        next = { policies: undefined, longer: new WeakMap() };
        node.longer.set(set, next);
      }
      node = next;
    }
    node.policies ??= new CompiledPolicies({ partition: this.#partition, evaluator: "extended" }, sets);
    return node.policies;
  }

  #set(policies: readonly StoredPolicy[]): PolicySet | Promise<PolicySet> {
    const key = keyOf(policies);
    const known = this.#sets.get(key);
    if (known !== undefined) {
      this.#kept.set(key, known);
      return known;
    }
    let running = this.#running.get(key);
    if (running === undefined) {
      if (isSmall(policies)) return this.#keep(key, finish(this.#compile(policies)));
      running = this.#queue
        .run(() => this.#scheduler.run(this.#compile(policies)))
        .then((set) => this.#keep(key, set))
        .finally(() => this.#running.delete(key));
      this.#running.set(key, running);
    }
    return running;
  }

  #keep(key: string, set: PolicySet): PolicySet {
    this.#sets.set(key, set);
    this.#kept.set(key, set);
    return set;
  }

  /** Compiles policies for the sets that are made later, step by step. */
  *policiesInSteps(policies: readonly StoredPolicy[]): Steps<void> {
    yield* this.#compiled(policies);
  }

  *#compile(policies: readonly StoredPolicy[]): Steps<PolicySet> {
    return yield* policySetInSteps(yield* this.#compiled(policies), this.#partition);
  }

  *#compiled(policies: readonly StoredPolicy[]): Steps<readonly CompiledPolicy[]> {
    const compiled: CompiledPolicy[] = [];
    let work = 0;
    for (const { name, statement } of policies) {
      let policy = this.#policies.get(statement);
      if (policy?.source.name !== name) {
        // `via` differs between users, so it must not be stored in a shared set.
        const source = { name, statement };
        const short = compileShortPolicy(source, this.#pool);
        work += short?.work ?? 0;
        policy = short?.policy ?? (yield* compilePolicyInSteps(source, this.#pool));
        this.#policies.set(statement, policy);
      }
      compiled.push(policy);
      if (work < STEP_UNITS) continue;
      yield work;
      work = 0;
    }
    yield work;
    return compiled;
  }
}

/** The policies composed of a list of sets, and those of longer lists that begin with it. */
interface Composition {
  policies: CompiledPolicies | undefined;
  readonly longer: WeakMap<PolicySet, Composition>;
}

/** Values by key, as long as another object references them. */
class WeakValues<T extends object> {
  readonly #values = new Map<string, WeakRef<T>>();
  readonly #gone = new FinalizationRegistry<string>((key) => {
    if (this.#values.get(key)?.deref() === undefined) this.#values.delete(key);
  });

  get size(): number {
    return this.#values.size;
  }

  get(key: string): T | undefined {
    return this.#values.get(key)?.deref();
  }

  set(key: string, value: T): void {
    this.#values.set(key, new WeakRef(value));
    this.#gone.register(value, key);
  }
}

function isSmall(policies: readonly StoredPolicy[]): boolean {
  let statements = 0;
  let characters = 0;
  for (const { statement } of policies) {
    statements += statement.length;
    if (statements > SMALL) return false;
    for (const { resource } of statement) characters += resource.length;
  }
  return characters <= SHORT;
}

/** A key of 64 bits: the numbers of a thousand sets are a long text. */
function keyOfSets(sets: readonly PolicySet[]): string {
  let a = 0;
  let b = 0;
  for (const { number } of sets) {
    a = Math.imul(a ^ number, 0x9e3779b1);
    b = Math.imul(b + number, 0x85ebca6b) ^ (b >>> 13);
  }
  return `${a} ${b}`;
}

function keyOf(policies: readonly StoredPolicy[]): string {
  // For a user with few policies a hash would take longer than the rest. Digests contain no blanks, so the two forms of
  // keys cannot collide.
  if (policies.length <= FEW) return policies.map(({ id, version }) => `${id} ${version}`).join("\n");
  const names = policies.map(({ id, version }) => `${id} ${version}\n`).join("");
  return createHash("sha256").update(names).digest("base64");
}
