/** The view that a session has of the log (spec/journal §3): all that it wrote itself, and of the writes of others a beginning that may lag. */

import type { Engine, EntryPage } from "../../../src/journal/engine.ts";
import type { Database } from "./database.ts";
import type { Schedule } from "./schedule.ts";

/** The reads of the log in a session. */
export class Session {
  readonly #database: Database;
  readonly #schedule: Schedule;
  /** The entries that it sees. */
  readonly #entries = new Map<number, Buffer>();
  #floor = 0;
  /** Number of writes that it sees. */
  #seen = 0;

  constructor(database: Database, schedule: Schedule) {
    this.#database = database;
    this.#schedule = schedule;
  }

  /** The session has written: it sees all that was written until now. */
  wrote(): void {
    this.#see(this.#database.logWrites.length);
  }

  /** The reads of entries and of the floor. Each sees as much as the one before, or more. */
  readonly reads: Pick<Engine, "read" | "entries" | "firstAfter" | "floor"> = {
    read: async (name) => {
      if (name.kind !== "entry") return this.#database.engine.read(name);
      this.#seeMore();
      return this.#entries.get(name.number);
    },
    entries: async (after, limit) => {
      this.#seeMore();
      return { entries: this.#after(after, limit), floor: this.#floor };
    },
    firstAfter: async (revision) => {
      this.#seeMore();
      const later = [...this.#entries.keys()].filter((number) => number > revision);
      return later.length === 0 ? undefined : Math.min(...later);
    },
    floor: async () => {
      this.#seeMore();
      return this.#floor;
    },
  };

  #after(after: number, limit: number): EntryPage["entries"] {
    const entries: EntryPage["entries"][number][] = [];
    for (let revision = after + 1; entries.length < limit; revision++) {
      const item = this.#entries.get(revision);
      if (item === undefined) break;
      entries.push({ revision, item });
    }
    return entries;
  }

  #seeMore(): void {
    const { length } = this.#database.logWrites;
    this.#see(length - this.#schedule.choose(length - this.#seen + 1));
  }

  #see(writes: number): void {
    for (const write of this.#database.logWrites.slice(this.#seen, writes)) {
      if ("floor" in write) this.#floor = write.floor;
      else if (write.item === undefined) this.#entries.delete(write.entry);
      else this.#entries.set(write.entry, write.item);
    }
    this.#seen = writes;
  }
}
