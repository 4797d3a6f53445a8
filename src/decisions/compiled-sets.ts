/** Compiled policy sets, shared by all users who have the same policies. */

import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { type CompiledPolicies, compile, compileInSteps } from "../engine/compile.ts";
import type { EffectivePolicy } from "../model/policy.ts";
import type { Slicer } from "../schedule/slicer.ts";

/** Sets kept although no cached user has them, for users whose entry just ended. */
const KEPT_SETS = 16;
/** Up to this many policies are named as they are. */
const FEW = 8;
/** Up to this many statements a set is compiled at once: about a millisecond. */
const SMALL = 200;

/** Compiles policy sets, each once for as long as anybody uses it. */
export class CompiledSets {
  readonly #partition: string;
  readonly #slicer: Slicer;
  readonly #sets = new Map<string, WeakRef<CompiledPolicies>>();
  readonly #kept = new LRUCache<string, CompiledPolicies>({ max: KEPT_SETS });
  readonly #running = new Map<string, Promise<CompiledPolicies>>();
  readonly #gone = new FinalizationRegistry<string>((key) => {
    if (this.#sets.get(key)?.deref() === undefined) this.#sets.delete(key);
  });

  /** Denies everything: for a user whose policies are too many to look at. */
  readonly denyAll: CompiledPolicies;

  constructor(partition: string, slicer: Slicer) {
    this.#partition = partition;
    this.#slicer = slicer;
    // A statement that cannot be evaluated, so that no permission and no gate of a list is let through.
    const statement = [{ effect: "deny", action: ["*"], resource: "" }];
    this.denyAll = compile([{ name: "more policies than allowed", statement }], {
      partition,
      evaluator: "extended",
    });
  }

  /** Sets in memory. */
  get size(): number {
    return this.#sets.size;
  }

  /** The compiled form of these policies, from whoever has the same ids and versions, else compiled now. */
  async get(policies: readonly EffectivePolicy[]): Promise<CompiledPolicies> {
    const key = keyOf(policies);
    const known = this.#sets.get(key)?.deref();
    if (known !== undefined) {
      this.#kept.set(key, known);
      return known;
    }
    let running = this.#running.get(key);
    if (running === undefined) {
      running = this.#compile(policies, key).finally(() => this.#running.delete(key));
      this.#running.set(key, running);
    }
    return running;
  }

  async #compile(policies: readonly EffectivePolicy[], key: string): Promise<CompiledPolicies> {
    const options = { partition: this.#partition, evaluator: "extended" } as const;
    const statements = policies.reduce((sum, policy) => sum + policy.statement.length, 0);
    // `via` differs between users: only what they share may stay in a shared set.
    const shared = policies.map(({ name, statement }) => ({ name, statement }));
    const set =
      statements <= SMALL
        ? compile(shared, options)
        : await this.#slicer.run(compileInSteps(shared, options));
    this.#sets.set(key, new WeakRef(set));
    this.#gone.register(set, key);
    this.#kept.set(key, set);
    return set;
  }
}

function keyOf(policies: readonly EffectivePolicy[]): string {
  // A hash takes longer than all else about a user with few policies; what has a blank is none.
  if (policies.length <= FEW) return policies.map(({ id, version }) => `${id} ${version}`).join("\n");
  const hash = createHash("sha256");
  for (const { id, version } of policies) hash.update(`${id} ${version}\n`);
  return hash.digest("base64");
}
