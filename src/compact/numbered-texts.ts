/** Texts with a number for each, by hashes that an overflow keeps: little of them is in memory, however many they are. */

import { FIELDS, type Numbered, NumberedHashes } from "./numbered-hashes.ts";
import type { Overflow } from "./overflow.ts";
import { TextHash } from "./text-hash.ts";

/** Texts with one end of their hash are looked at together: a power of 2. */
const BUCKETS = 128;
/** So few stay in memory, in about 1 MB: most texts that are looked for are names of groups and policies. */
const FEW = 32_768;

/**
 * Texts are added, then settled, and then found by their first number. One that was not added may be taken for one that was,
 * with a probability of their number in 2^64.
 */
export class NumberedTexts {
  readonly #overflow: Overflow;
  readonly #hash = new TextHash();
  readonly #buckets: readonly NumberedHashes[];

  /** @param overflow keeps the hashes, which nobody can invert */
  constructor(overflow: Overflow) {
    this.#overflow = overflow;
    this.#buckets = Array.from({ length: BUCKETS }, () => new NumberedHashes());
  }

  /** Adds a text, which may have been added before. */
  add(text: string, { number, index }: Numbered): void {
    this.#bucketOf(text).add(this.#hash, number, index, this.#overflow);
  }

  /**
   * Makes the texts ready to be found, a part of them in each step: once, after all were added.
   * @param counts false for the number of an adding that counts for nothing
   * @param onRepeated told of each adding of a text after the first one
   */
  *settle(
    counts: (number: number) => boolean,
    onRepeated: (repeated: Numbered, first: Numbered) => void,
  ): Generator<void> {
    const areFew = this.#buckets.reduce((sum, { size }) => sum + size, 0) <= FEW;
    // One piece of memory for many: what each left would go with the next collection only.
    let shared = new Uint32Array(0);
    for (const bucket of this.#buckets) {
      const length = bucket.slots * FIELDS;
      if (areFew || length > shared.length) shared = new Uint32Array(length);
      const table = shared.subarray(0, length).fill(0);
      bucket.settle(table, this.#overflow, counts, onRepeated);
      if (areFew) bucket.keep(table);
      else bucket.store(table, this.#overflow);
      yield;
    }
  }

  /** True for a text that was added and counts. */
  has(text: string): boolean {
    return this.numberOf(text) !== undefined;
  }

  /** The number with which a text was first added; undefined for another. */
  numberOf(text: string): number | undefined {
    return this.#bucketOf(text).numberOf(this.#hash, this.#overflow);
  }

  #bucketOf(text: string): NumberedHashes {
    this.#hash.take(text);
    return this.#buckets[this.#hash.high & (BUCKETS - 1)]!;
  }
}
