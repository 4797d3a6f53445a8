/** The log of a store in memory: its newest entries, with what each of them replaced (spec/journal §4). */

import { AboutIndex } from "../about-index.ts";
import type { Replaced } from "../past-snapshot.ts";
import type { CommittedChange, EntryWrites, KeyWrite, RecordName, Thing } from "../port.ts";

/** An entry as it is kept. */
interface KeptEntry {
  readonly entry: CommittedChange;
  readonly writes: EntryWrites;
  readonly replaced: readonly Replaced[];
}

/** The limits of a log. */
export interface MemoryLogLimits {
  /** Age in milliseconds from which on an entry is removed. */
  readonly keepMs: number;
  /** Most entries. */
  readonly most: number;
  /** Most characters of records that entries hold. */
  readonly mostText: number;
}

interface Weighed extends KeptEntry {
  readonly weight: number;
}

/** Removed entries for which the list is not shortened yet. */
const SLACK = 1_024;
/** Weight of a record beside its text. */
const RECORD_WEIGHT = 64;

/** Keeps the newest entries. */
export class MemoryLog {
  readonly #limits: MemoryLogLimits;
  readonly #about = new AboutIndex();
  #entries: Weighed[] = [];
  /** Index of the oldest entry in the list. */
  #first = 0;
  #weight = 0;
  /** Entries after this revision are kept. */
  floor = 0;

  constructor(limits: MemoryLogLimits) {
    this.#limits = limits;
  }

  /** Adds the next entry, and removes those that are too old or too many. */
  add(kept: KeptEntry): void {
    const weight = weightOf(kept);
    this.#entries.push({ ...kept, weight });
    this.#about.add(kept.entry);
    this.#weight += weight;
    const { keepMs, most, mostText } = this.#limits;
    const end = Date.parse(kept.entry.at) - keepMs;
    for (let oldest = this.#oldest(); oldest !== undefined; oldest = this.#oldest()) {
      const isOld = Date.parse(oldest.entry.at) < end;
      if (!isOld && this.#entries.length - this.#first <= most && this.#weight <= mostText) break;
      this.#removeOldest(oldest);
    }
  }

  /** Removes every entry: the log goes on after this revision. */
  restart(revision: number): void {
    this.#entries = [];
    this.#first = 0;
    this.#weight = 0;
    this.#about.clear();
    this.floor = revision;
  }

  /** An entry, where it is kept. */
  at(revision: number): KeptEntry | undefined {
    return revision <= this.floor ? undefined : this.#entries[this.#first + revision - this.floor - 1];
  }

  /** The writes of an entry, where it is kept and has the id. */
  writes(revision: number, id: string | undefined): EntryWrites | undefined {
    const kept = this.at(revision);
    return id === undefined || kept?.entry.id === id ? kept?.writes : undefined;
  }

  /** Entries after a revision, oldest first, at most `limit`; undefined where some are not kept. */
  after(revision: number, limit: number): readonly CommittedChange[] | undefined {
    if (revision < this.floor) return undefined;
    const start = this.#first + revision - this.floor;
    return this.#entries.slice(start, start + limit).map(({ entry }) => entry);
  }

  /** As {@link History.writeOf}. */
  writeOf(revision: number, { partition, key }: RecordName): KeyWrite | undefined {
    const isIt = (one: RecordName): boolean => one.key === key && one.partition === partition;
    const { put, delete: deleted } = this.at(revision)?.writes ?? { put: [], delete: [] };
    for (const one of put) if (isIt(one)) return one;
    for (const one of deleted) if (isIt(one)) return { value: undefined };
    return undefined;
  }

  /** Returns what the first entry after a revision that wrote under a key replaced there. */
  replacedAfter(revision: number, { partition, key }: RecordName): Replaced | undefined {
    for (let at = revision + 1, kept = this.at(at); kept !== undefined; kept = this.at(++at)) {
      const found = kept.replaced.find((one) => one.key === key && one.partition === partition);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** As {@link History.about}. */
  about(thing: Thing, before: number, limit: number): readonly CommittedChange[] {
    return this.#about.find(thing, before, limit).map((revision) => this.at(revision)!.entry);
  }

  #oldest(): Weighed | undefined {
    return this.#entries[this.#first];
  }

  #removeOldest({ entry, weight }: Weighed): void {
    this.#about.removeOldest(entry);
    this.#weight -= weight;
    this.floor = entry.revision;
    delete this.#entries[this.#first];
    this.#first += 1;
    if (this.#first < SLACK) return;
    this.#entries = this.#entries.slice(this.#first);
    this.#first = 0;
  }
}

function weightOf({ writes, replaced }: KeptEntry): number {
  let weight = RECORD_WEIGHT;
  for (const { key, value } of writes.put) weight += key.length + value.length + RECORD_WEIGHT;
  for (const { key } of writes.delete) weight += key.length + RECORD_WEIGHT;
  for (const { before } of replaced) weight += (before?.value.length ?? 0) + RECORD_WEIGHT;
  return weight;
}
