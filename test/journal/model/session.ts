/** The view that a session has of the log (spec/journal §3): all that it wrote itself, and of the writes of others a beginning that may lag. */

import type { Engine } from "../../../src/journal/engine.ts";
import type { Database } from "./database.ts";
import type { Schedule } from "./schedule.ts";

/** The reads of the log in a session. */
export class Session {
  readonly #database: Database;
  readonly #schedule: Schedule;
  /** Number of writes that it sees. */
  #seen = 0;

  constructor(database: Database, schedule: Schedule) {
    this.#database = database;
    this.#schedule = schedule;
  }

  /** The session has written: it sees all that was written until now. */
  wrote(): void {
    this.#seen = this.#database.logWrites.length;
  }

  /** The reads of entries and of the floor. Each sees as much as the one before, or more. */
  readonly reads: Pick<Engine, "read" | "entries" | "firstAfter" | "floor"> = {
    read: async (name) => {
      this.#see();
      return name.kind !== "entry" || this.#has(name.number) ? this.#database.engine.read(name) : undefined;
    },
    entries: async (after, limit) => {
      this.#see();
      const { entries } = await this.#database.engine.entries(after, limit);
      const lag = entries.findIndex(({ revision }) => !this.#has(revision));
      return { entries: lag < 0 ? entries : entries.slice(0, lag), floor: this.#floor() };
    },
    firstAfter: async (revision) => {
      this.#see();
      const names = await this.#database.engine.list(
        "entry",
        Number.MAX_SAFE_INTEGER,
        Number.MAX_SAFE_INTEGER,
      );
      return names.find(({ number }) => number > revision && this.#has(number))?.number;
    },
    floor: async () => {
      this.#see();
      return this.#floor();
    },
  };

  #see(): void {
    const hidden = this.#database.logWrites.length - this.#seen;
    this.#seen += hidden - this.#schedule.choose(hidden + 1);
  }

  /** True where it sees the entry that is there now: one that was removed may have been created anew. */
  #has(revision: number): boolean {
    const { logWrites } = this.#database;
    return logWrites.findLastIndex((write) => "entry" in write && write.entry === revision) < this.#seen;
  }

  #floor(): number {
    const visible = this.#database.logWrites.slice(0, this.#seen);
    return Math.max(0, ...visible.map((write) => ("floor" in write ? write.floor : 0)));
  }
}
