/** The keys that the newest commits wrote: tells whether something that was read has changed since. */

import type { Listed, ReadSet, RecordName } from "./port.ts";
import { WrittenKeys } from "./written-keys.ts";

/** Most keys that are remembered; a use case that began before the oldest of them runs again. */
export const MOST_KEYS = 100_000;
/** Entries beyond those that are removed together. */
const MOST_FORGOTTEN = 10_000;

interface Entry {
  readonly revision: number;
  readonly written: WrittenKeys;
}

/** Keys written by commits in order of revision, as far back as {@link MOST_KEYS} reach. */
export class RecentWrites {
  #entries: Entry[] = [];
  /** Place of the oldest entry that is remembered: to remove each at once would move all the others. */
  #oldest = 0;
  #keys = 0;
  /** Every write after this revision is remembered. */
  #since: number;
  /** The {@link Snapshot.base} of the states that the commits led to. */
  #base: string | undefined;

  /** @param revision of the state before the first commit that is added */
  constructor(revision: number, base?: string) {
    this.#since = revision;
    this.#base = base;
  }

  /** Remembers what a commit wrote. */
  add(revision: number, put: Listed<RecordName>, deleted: Listed<RecordName>): void {
    if (put.length + deleted.length > MOST_KEYS) {
      this.restart(revision);
      return;
    }
    const written = new WrittenKeys();
    written.add(put);
    written.add(deleted);
    this.#entries.push({ revision, written });
    this.#keys += written.size;
    while (this.#keys > MOST_KEYS) {
      const oldest = this.#entries[this.#oldest++]!;
      this.#keys -= oldest.written.size;
      this.#since = oldest.revision;
    }
    if (this.#oldest > MOST_FORGOTTEN) {
      this.#entries = this.#entries.slice(this.#oldest);
      this.#oldest = 0;
    }
  }

  /** Forgets everything that was written up to a revision, and what was read from states of another base. */
  restart(revision: number, base = this.#base): void {
    this.#base = base;
    this.#entries = [];
    this.#oldest = 0;
    this.#keys = 0;
    this.#since = revision;
  }

  /** True when something in a read-set was written since, or when that is no longer known. */
  touches(reads: ReadSet): boolean {
    const { revision: readAt, base } = reads;
    if (readAt < this.#since) return true;
    if (base !== undefined && this.#base !== undefined && base !== this.#base) return true;
    for (let index = this.#entries.length - 1; index >= this.#oldest; index--) {
      const { revision, written } = this.#entries[index]!;
      if (revision <= readAt) return false;
      if (written.touches(reads)) return true;
    }
    return false;
  }
}
