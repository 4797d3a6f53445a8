/** Ids of the newest entries by their revisions: they tell whether a revision that somebody names is the same entry. */

import type { EntryId } from "./replica.ts";

/** Ids that are kept at least. */
const KEPT = 10_000;

/** The ids of the newest entries of one log, without a gap. */
export class EntryIds {
  #first = 0;
  #ids: string[] = [""];

  /** The id of an entry; "" for revision 0, undefined for one that is not known. */
  at(revision: number): string | undefined {
    return revision === 0 ? "" : this.#ids[revision - this.#first];
  }

  /** Adds the newest entry. Where it does not follow the one before, what was known is forgotten. */
  add(revision: number, id: string): void {
    if (revision !== this.#first + this.#ids.length) {
      this.restart([[revision, id]]);
      return;
    }
    this.#ids.push(id);
    if (this.#ids.length < 2 * KEPT) return;
    this.#ids = this.#ids.slice(-KEPT);
    this.#first = revision - KEPT + 1;
  }

  /** Replaces everything: the state is another one. The entries follow each other. */
  restart(entries: readonly EntryId[]): void {
    this.#first = entries[0]?.[0] ?? 0;
    this.#ids = entries.map(([, id]) => id);
  }
}
