/** Ids of the newest entries: they tell whether an entry was committed that has been removed since (spec/journal §2.6). */

import type { EntryId } from "../store/replica.ts";

/** Number of ids that are kept, also by checkpoints. */
export const CARRIED_IDS = 10_000;

/** The ids of the newest entries of one log. */
export class RecentIds {
  readonly #carried: number;
  #entries: EntryId[] = [];
  #byId = new Map<string, number>();

  constructor(carried = CARRIED_IDS) {
    this.#carried = carried;
  }

  /** In order of revision. */
  get list(): readonly EntryId[] {
    return this.#entries;
  }

  /** Adds the id of the next entry. */
  add(revision: number, id: string): void {
    this.#entries.push([revision, id]);
    this.#byId.set(id, revision);
    if (this.#entries.length <= 2 * this.#carried) return;
    for (const [, dropped] of this.#entries.splice(0, this.#entries.length - this.#carried)) {
      this.#byId.delete(dropped);
    }
  }

  /** Replaces everything. */
  replace(entries: readonly EntryId[]): void {
    this.#entries = [...entries];
    this.#byId = new Map(entries.map(([revision, id]) => [id, revision]));
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  /** True when every entry from this revision on is known by id: what is not among them is not in the log. */
  covers(revision: number): boolean {
    const oldest = this.#entries[0];
    return oldest !== undefined && (oldest[0] <= revision || oldest[0] === 1);
  }
}
