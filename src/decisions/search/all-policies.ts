/** All policies of a directory, compiled; the start of the search for users. */

import { LRUCache } from "lru-cache";
import type { Directory, StoredPolicy, Survey } from "../../directory/directory.ts";
import { type CompiledPolicies, compileInSteps } from "../../engine/compile.ts";
import type { Scheduler } from "../../schedule/scheduler.ts";

/** All policies. */
export interface CompiledDirectory {
  readonly policies: CompiledPolicies;
  /** Id and version of each policy by name. */
  readonly versions: ReadonlyMap<string, Pick<StoredPolicy, "id" | "version">>;
}

/** Options of {@link AllPolicies}. */
export interface AllPoliciesOptions {
  readonly directory: Directory;
  readonly partition: string;
  readonly scheduler: Scheduler;
  /** Time to live in milliseconds, because another node may write without notice (`auth.cache.ttl`). */
  readonly ttl: number;
}

const KEY = "all";

/** Compiles all policies once until one changes. */
export class AllPolicies {
  readonly #options: AllPoliciesOptions;
  /** Dropped after its time to live, so that one search does not occupy memory permanently. */
  readonly #kept: LRUCache<string, CompiledDirectory>;
  #reading: { readonly generation: number; readonly result: Promise<CompiledDirectory> } | undefined;
  #generation = 0;
  readonly #unsubscribe: () => void;

  constructor(options: AllPoliciesOptions) {
    this.#options = options;
    this.#kept = new LRUCache({ max: 1, ttl: Math.max(1, Math.ceil(options.ttl)), ttlAutopurge: true });
    this.#unsubscribe = options.directory.onChange(({ policies, all }) => {
      if (policies === undefined && !all) return;
      this.#generation++;
      this.#kept.clear();
    });
  }

  /** Counts changes. Everything read under one value belongs together. */
  get generation(): number {
    return this.#generation;
  }

  /**
   * All policies of a state of the directory.
   * @param generation the value before the state was opened
   */
  async get(survey: Survey, generation: number): Promise<CompiledDirectory> {
    if (generation !== this.#generation) return this.#read(survey);
    const known = this.#kept.get(KEY);
    if (known !== undefined) return known;
    if (this.#reading?.generation !== generation) {
      const result = this.#read(survey);
      const reading = { generation, result };
      this.#reading = reading;
      const done = (): void => {
        if (this.#reading === reading) this.#reading = undefined;
      };
      result.then(done, done);
    }
    const read = await this.#reading.result;
    if (generation === this.#generation) this.#kept.set(KEY, read);
    return read;
  }

  async #read(survey: Survey): Promise<CompiledDirectory> {
    const { partition, scheduler } = this.#options;
    const all = await survey.policies();
    const steps = compileInSteps(all, { partition, evaluator: "extended" });
    const policies = await scheduler.run(steps);
    return { policies, versions: new Map(all.map(({ name, id, version }) => [name, { id, version }])) };
  }

  /** Stops listening to changes. */
  close(): void {
    this.#unsubscribe();
    this.#kept.clear();
  }
}
