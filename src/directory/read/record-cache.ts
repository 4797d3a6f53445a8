/** Groups and policies that many users share, read once while these are read from one state. */

import type { RecordTypes } from "../records/layout.ts";
import type { StateReader } from "./reader.ts";

/** Records kept; then anew. */
const MOST_KEPT = 4_096;

/** Records of a partition, each read once from a state. */
export class RecordCache<P extends "group" | "policy"> {
  readonly #reader: StateReader;
  readonly #partition: P;
  /** Null where there is none. */
  readonly #records = new Map<string, RecordTypes[P] | null>();

  /** @param reader of the state */
  constructor(reader: StateReader, partition: P) {
    this.#reader = reader;
    this.#partition = partition;
  }

  /** The records of these names, in the order given. */
  async getMany(names: readonly string[]): Promise<readonly (RecordTypes[P] | undefined)[]> {
    // Of so many no other user has a part that is worth the memory.
    if (names.length >= MOST_KEPT) return this.#reader.getMany(this.#partition, names);
    const found = names.map((name) => this.#records.get(name));
    const missing = names.filter((_, index) => found[index] === undefined);
    if (missing.length > 0) {
      const read = await this.#reader.getMany(this.#partition, missing);
      if (this.#records.size >= MOST_KEPT) this.#records.clear();
      let next = 0;
      for (const [index, name] of names.entries()) {
        if (found[index] !== undefined) continue;
        const record = read[next++] ?? null;
        found[index] = record;
        this.#records.set(name, record);
      }
    }
    return found.map((record) => record ?? undefined);
  }
}
