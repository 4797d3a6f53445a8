/** Numbered hashes: a list of records, then a table in which they are found. */

import type { Overflow } from "./overflow.ts";
import type { TextHash } from "./text-hash.ts";

/** Numbers of a record: both halves of the hash, the number and the index. Both halves 0: a free slot. */
export const FIELDS = 4;
const BYTES = FIELDS * Uint32Array.BYTES_PER_ELEMENT;
/** Records that leave memory together. */
const AT_ONCE = 128;
/** Share of the slots of a table that may be taken. */
const FULL = 0.7;
/** Slots that are read at once, one of which is free as a rule: a power of 2, as is the least number of slots. */
const WINDOW = 16;

/** The giving of a text. */
export interface Numbered {
  /** Below 2^32, as the index. */
  readonly number: number;
  readonly index: number;
}

/** Hashes that are added, then entered into a table, and then found. */
export class NumberedHashes {
  /** Places of the records that have left memory. */
  #places: number[] = [];
  #last = new Uint32Array(0);
  /** Records in the last ones. */
  #size = 0;
  #table: Uint32Array | { readonly place: number; readonly slots: number } = { place: 0, slots: 0 };

  add({ high, low }: TextHash, number: number, index: number, overflow: Overflow): void {
    if (this.#last.length === 0) this.#last = new Uint32Array(AT_ONCE * FIELDS);
    write(this.#last, this.#size * FIELDS, high, low, number, index);
    this.#size += 1;
    if (this.#size < AT_ONCE) return;
    this.#places.push(overflow.put(bytesOf(this.#last)));
    this.#size = 0;
  }

  /** Number of records. */
  get size(): number {
    return this.#places.length * AT_ONCE + this.#size;
  }

  /** Slots of a table for all records. */
  get slots(): number {
    return this.size === 0 ? 0 : Math.max(WINDOW, 2 ** Math.ceil(Math.log2(this.size / FULL)));
  }

  /**
   * Enters the records into a table.
   * @param table free, of so many {@link slots}
   */
  settle(
    table: Uint32Array,
    overflow: Overflow,
    counts: (number: number) => boolean,
    onRepeated: (repeated: Numbered, first: Numbered) => void,
  ): void {
    for (const records of this.#records(overflow)) {
      for (let at = 0; at < records.length; at += FIELDS) {
        const [high, low, number, index] = [
          records[at]!,
          records[at + 1]!,
          records[at + 2]!,
          records[at + 3]!,
        ];
        if (!counts(number)) continue;
        const slot = slotOf(table, high, low);
        if (isFree(table, slot)) write(table, slot, high, low, number, index);
        else onRepeated({ number, index }, { number: table[slot + 2]!, index: table[slot + 3]! });
      }
    }
    this.#places = [];
    this.#last = new Uint32Array(0);
    this.#size = 0;
  }

  /** Finds records in a table that stays in memory. */
  keep(table: Uint32Array): void {
    if (table.length > 0) this.#table = table;
  }

  /** Finds records in a table that leaves memory. */
  store(table: Uint32Array, overflow: Overflow): void {
    this.#table = { place: overflow.put(bytesOf(table)), slots: table.length / FIELDS };
  }

  numberOf({ high, low }: TextHash, overflow: Overflow): number | undefined {
    if (this.#table instanceof Uint32Array) {
      const at = slotOf(this.#table, high, low);
      return isFree(this.#table, at) ? undefined : this.#table[at + 2];
    }
    const { place, slots } = this.#table;
    if (slots === 0) return undefined;
    let slot = low & (slots - 1);
    for (;;) {
      const first = slot & ~(WINDOW - 1);
      const window = numbersOf(overflow.get(place + first * BYTES, WINDOW * BYTES));
      for (let at = (slot - first) * FIELDS; at < window.length; at += FIELDS) {
        if (isFree(window, at)) return undefined;
        if (window[at] === high && window[at + 1] === low) return window[at + 2];
      }
      slot = (first + WINDOW) & (slots - 1);
    }
  }

  *#records(overflow: Overflow): Generator<Uint32Array> {
    for (const place of this.#places) yield numbersOf(overflow.get(place, AT_ONCE * BYTES));
    yield this.#last.subarray(0, this.#size * FIELDS);
  }
}

/** The place where a table has a hash, or has room for it. */
function slotOf(table: Uint32Array, high: number, low: number): number {
  const mask = table.length / FIELDS - 1;
  let slot = low & mask;
  for (;;) {
    const at = slot * FIELDS;
    if (isFree(table, at) || (table[at] === high && table[at + 1] === low)) return at;
    slot = (slot + 1) & mask;
  }
}

/** Quicker than from a list. */
function write(
  into: Uint32Array,
  at: number,
  high: number,
  low: number,
  number: number,
  index: number,
): void {
  into[at] = high;
  into[at + 1] = low;
  into[at + 2] = number;
  into[at + 3] = index;
}

function isFree(table: Uint32Array, at: number): boolean {
  return table[at] === 0 && table[at + 1] === 0;
}

function bytesOf(numbers: Uint32Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

function numbersOf(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer);
}
