/** All policies of a directory, compiled; the start of the search for users. */

import { type CompiledPolicies, compileInSteps } from "@svc-authorizer/policy/engine/compile/compile.ts";
import type { StoredPolicy } from "@svc-authorizer/policy/model/held-policies.ts";
import { DependentCache } from "../../cache/dependent-cache.ts";
import type { Directory, Survey } from "../../directory/directory.ts";
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
  /** At most one value, dropped after its time, so that one search does not occupy memory permanently. */
  readonly #cache: DependentCache<CompiledDirectory>;
  readonly #unsubscribe: () => void;

  constructor(options: AllPoliciesOptions) {
    this.#options = options;
    this.#cache = new DependentCache<CompiledDirectory>({
      settings: { enabled: true, size: 1, ttl: options.ttl, jitter: 0 },
      // Every change of a policy is a change of the one value.
      filedUnder: () => [],
      dropsExpired: true,
    });
    this.#unsubscribe = options.directory.onChange(({ policies, all }) => {
      if (policies !== undefined || all === true) this.#cache.evict({ ids: [], all: true });
    });
  }

  /** Counts changes. Everything read under one value belongs together. */
  get generation(): number {
    return this.#cache.generation;
  }

  /**
   * All policies of a state of the directory.
   * @param generation the value before the state was opened
   */
  async get(survey: Survey, generation: number): Promise<CompiledDirectory> {
    const read = (): Promise<CompiledDirectory> => this.#read(survey);
    if (generation !== this.#cache.generation) return read();
    return this.#cache.get(KEY) ?? ((await this.#cache.load(KEY, read)) as CompiledDirectory);
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
    this.#cache.clear();
  }
}
