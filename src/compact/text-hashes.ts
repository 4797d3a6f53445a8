/** Texts by hashes of 64 bits, with a number for each: a million of them take 24 MiB. */

import { TextHash } from "./text-hash.ts";

/** Parts that grow each on its own, so that nobody waits until all texts have moved: a power of 2. */
const PARTS = 64;
const FIRST_SLOTS = 16;
/** Share of the slots that may be taken. */
const FULL = 0.7;

/** Texts that were added; one that was not may be found, too, with a probability of their number in 2^64. */
export class TextHashes {
  readonly #hash = new TextHash();
  readonly #parts: readonly Part[];
  #size = 0;

  /** @param hasNumbers false: a third of the memory is saved, and every text has the number 0 */
  constructor({ hasNumbers = false }: { readonly hasNumbers?: boolean } = {}) {
    this.#parts = Array.from({ length: PARTS }, () => new Part(hasNumbers));
  }

  /** Number of texts. */
  get size(): number {
    return this.#size;
  }

  /** Adds a text with a number below 2^32; false if it is there already, whose number stays. */
  add(text: string, number = 0): boolean {
    if (!this.#partOf(text).add(this.#hash.high, this.#hash.low, number)) return false;
    this.#size += 1;
    return true;
  }

  /** True for a text that was added. */
  has(text: string): boolean {
    return this.numberOf(text) !== undefined;
  }

  /** The number of a text that was added; undefined for another. */
  numberOf(text: string): number | undefined {
    return this.#partOf(text).numberOf(this.#hash.high, this.#hash.low);
  }

  #partOf(text: string): Part {
    this.#hash.take(text);
    return this.#parts[this.#hash.high & (PARTS - 1)]!;
  }
}

/** The hashes that a part of the texts have. */
class Part {
  readonly #hasNumbers: boolean;
  /** Two numbers for each slot; both 0: free. */
  #slots = new Uint32Array(2 * FIRST_SLOTS);
  #numbers: Uint32Array;
  #size = 0;

  constructor(hasNumbers: boolean) {
    this.#hasNumbers = hasNumbers;
    this.#numbers = new Uint32Array(hasNumbers ? FIRST_SLOTS : 0);
  }

  add(high: number, low: number, number: number): boolean {
    const slot = slotOf(this.#slots, high, low);
    if (!isFree(this.#slots, slot)) return false;
    this.#slots[2 * slot] = high;
    this.#slots[2 * slot + 1] = low;
    if (this.#hasNumbers) this.#numbers[slot] = number;
    this.#size += 1;
    if (this.#size > (this.#slots.length / 2) * FULL) this.#grow();
    return true;
  }

  numberOf(high: number, low: number): number | undefined {
    const slot = slotOf(this.#slots, high, low);
    if (isFree(this.#slots, slot)) return undefined;
    return this.#hasNumbers ? this.#numbers[slot] : 0;
  }

  #grow(): void {
    const before = this.#slots;
    const slots = new Uint32Array(before.length * 2);
    const numbers = new Uint32Array(this.#hasNumbers ? before.length : 0);
    for (let at = 0; at < before.length / 2; at++) {
      if (isFree(before, at)) continue;
      const [high, low] = [before[2 * at]!, before[2 * at + 1]!];
      const slot = slotOf(slots, high, low);
      slots[2 * slot] = high;
      slots[2 * slot + 1] = low;
      if (this.#hasNumbers) numbers[slot] = this.#numbers[at]!;
    }
    this.#slots = slots;
    this.#numbers = numbers;
  }
}

/** The slot that has a hash, or the free one where it belongs. */
function slotOf(slots: Uint32Array, high: number, low: number): number {
  const mask = slots.length / 2 - 1;
  let slot = low & mask;
  while (!isFree(slots, slot) && (slots[2 * slot] !== high || slots[2 * slot + 1] !== low)) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

function isFree(slots: Uint32Array, slot: number): boolean {
  return slots[2 * slot] === 0 && slots[2 * slot + 1] === 0;
}
