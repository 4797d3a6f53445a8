/** Groups and policies read and compiled before somebody asks about users who have them. */

import type { StoredPolicy } from "@svc-authorizer/policy/model/held-policies.ts";
import type { CacheSettings } from "../cache/dependent-cache.ts";
import type { AheadVisitor } from "../directory/ahead-visitor.ts";
import type { Directory } from "../directory/directory.ts";
import type { Scheduler } from "../schedule/scheduler.ts";
import type { CompiledSets } from "./compiled-sets.ts";

/** The parts of {@link ReadAhead}. */
interface ReadAheadOptions {
  readonly directory: Directory;
  readonly sets: CompiledSets;
  readonly scheduler: Scheduler;
  readonly cache: CacheSettings;
}

/** Reads once, from when it is told to until it is closed. */
export class ReadAhead {
  readonly #options: ReadAheadOptions;
  readonly #end = new AbortController();
  #reading: Promise<void> | undefined;

  constructor(options: ReadAheadOptions) {
    this.#options = options;
  }

  /** See {@link Decisions.readAhead}; without a cache it reads nothing. */
  async read(): Promise<void> {
    const { directory, cache, sets, scheduler } = this.#options;
    if (!cache.enabled) return;
    const visitor: AheadVisitor = {
      attached: (to, policies) => this.#compile(to, policies),
      policies: (some) => scheduler.run(sets.policiesInSteps(some)),
    };
    this.#reading ??= directory.readAhead(visitor, this.#end.signal);
    await this.#reading;
  }

  async #compile(to: "user" | "group", policies: readonly StoredPolicy[]): Promise<void> {
    const { sets, scheduler } = this.#options;
    const via = to === "user" ? { user: "" } : { group: "" };
    const compiled = await sets.get([{ via, policies }]);
    for (const set of compiled.sets) await scheduler.run(set.prepareInSteps());
  }

  /** Ends the reading, and waits until nothing is read any more. */
  async close(): Promise<void> {
    this.#end.abort();
    await this.#reading?.catch(() => undefined);
  }
}
