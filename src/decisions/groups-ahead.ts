/** Groups read and compiled before somebody asks about their members. */

import type { HeldPolicies } from "@svc-authorizer/policy/model/held-policies.ts";
import type { CacheSettings } from "../cache/dependent-cache.ts";
import type { Directory } from "../directory/directory.ts";
import type { Scheduler } from "../schedule/scheduler.ts";
import type { CompiledSets } from "./compiled-sets.ts";

/** The parts that groups are read with. */
interface GroupsAheadOptions {
  readonly directory: Directory;
  readonly sets: CompiledSets;
  readonly scheduler: Scheduler;
  readonly cache: CacheSettings;
}

/** Reads groups once, from when it is told to until it is closed. */
export class GroupsAhead {
  readonly #options: GroupsAheadOptions;
  readonly #end = new AbortController();
  #reading: Promise<void> | undefined;

  constructor(options: GroupsAheadOptions) {
    this.#options = options;
  }

  /** See {@link Decisions.readGroupsAhead}; without a cache it reads nothing. */
  async read(): Promise<void> {
    const { directory, cache } = this.#options;
    if (!cache.enabled) return;
    this.#reading ??= directory.readGroupsAhead((held) => this.#compile(held), this.#end.signal);
    await this.#reading;
  }

  async #compile(held: HeldPolicies): Promise<void> {
    const { sets, scheduler } = this.#options;
    const compiled = await sets.get([held]);
    for (const set of compiled.sets) await scheduler.run(set.prepareInSteps());
  }

  /** Ends the reading, and waits until nothing is read any more. */
  async close(): Promise<void> {
    this.#end.abort();
    await this.#reading?.catch(() => undefined);
  }
}
