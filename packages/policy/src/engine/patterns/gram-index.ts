/**
 * Finds candidate patterns for a text among many with the same beginning. Each pattern is filed under the rarest run of
 * four characters in its literal parts (three, two or one if no part is longer). A look-up walks the text once, and
 * visits the patterns under a run only if the text also has all of their other characters and pairs.
 */

import { STEP_UNITS, type Steps } from "../work.ts";

const LONGEST = 4;
const PER_POSTING = 200;

function fold(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193) + 0x9e3779b9;
}

/** Runs with the length of the longest literal part, at most {@link LONGEST}. */
function gramsOf(chunks: readonly string[]): number[] {
  const length = Math.min(
    LONGEST,
    chunks.reduce((most, chunk) => Math.max(most, chunk.length), 0),
  );
  const grams: number[] = [];
  if (length === 0) return grams;
  for (const chunk of chunks) {
    for (let index = 0; index + length <= chunk.length; index++) {
      let hash = length;
      for (let offset = 0; offset < length; offset++) hash = fold(hash, chunk.charCodeAt(index + offset));
      grams.push(hash | 0);
    }
  }
  return grams;
}

/** A bit for each character of a text. */
function charactersIn(text: string, start: number): number {
  let mask = 0;
  for (let index = start; index < text.length; index++) mask |= 1 << (text.charCodeAt(index) & 31);
  return mask;
}

/** A bit for each pair of neighbours in a text. */
function pairsIn(text: string, start: number): number {
  let mask = 0;
  for (let index = start + 1; index < text.length; index++) {
    mask |= 1 << ((text.charCodeAt(index - 1) * 7 + text.charCodeAt(index)) & 31);
  }
  return mask;
}

/** The items under one run. */
class Posting<T> {
  readonly items: T[] = [];
  readonly characters: number[] = [];
  readonly pairs: number[] = [];
  /** Number of the last walk that visited it: a repeated run yields its items once. */
  walk = 0;

  add(item: T, chunks: readonly string[]): void {
    this.items.push(item);
    this.characters.push(chunks.reduce((mask, chunk) => mask | charactersIn(chunk, 0), 0));
    this.pairs.push(chunks.reduce((mask, chunk) => mask | pairsIn(chunk, 0), 0));
  }
}

/** An index from literal parts of patterns to items. */
export class GramIndex<T> {
  readonly #frequency = new Map<number, number>();
  readonly #pending: {
    readonly chunks: readonly string[];
    readonly grams: readonly number[];
    readonly item: T;
  }[] = [];
  readonly #postings = new Map<number, Posting<T>>();
  /** Patterns without literal text. */
  readonly #unfiled: T[] = [];
  /** A bit for each run with items. Most runs of a text have none. */
  readonly #filter = new Uint8Array(1 << 13);
  readonly #sizes = new Uint8Array(LONGEST + 1);
  #walk = 0;

  /** Adds an item whose pattern has these literal parts; every text that it matches contains all of them. */
  add(chunks: readonly string[], item: T): void {
    const grams = gramsOf(chunks);
    for (const gram of new Set(grams)) this.#frequency.set(gram, (this.#frequency.get(gram) ?? 0) + 1);
    this.#pending.push({ chunks, grams, item });
  }

  /** Builds the index. Call it once, after the last `add`. */
  *sealInSteps(): Steps<void> {
    let work = 0;
    for (const { chunks, grams, item } of this.#pending) {
      work += PER_POSTING + 50 * grams.length;
      if (work > STEP_UNITS) {
        yield work;
        work = 0;
      }
      let rarest: number | undefined;
      for (const gram of grams) {
        if (rarest === undefined || this.#count(gram) < this.#count(rarest)) rarest = gram;
      }
      if (rarest === undefined) this.#unfiled.push(item);
      else this.#file(rarest, chunks, item);
    }
    yield work;
    this.#pending.length = 0;
    this.#frequency.clear();
  }

  #count(gram: number): number {
    return this.#frequency.get(gram) ?? 0;
  }

  #file(gram: number, chunks: readonly string[], item: T): void {
    const longest = chunks.reduce((most, chunk) => Math.max(most, chunk.length), 0);
    this.#sizes[Math.min(LONGEST, longest)] = 1;
    const bit = (gram ^ (gram >>> 16)) & 0xffff;
    this.#filter[bit >> 3]! |= 1 << (bit & 7);
    let posting = this.#postings.get(gram);
    if (posting === undefined) {
      posting = new Posting();
      this.#postings.set(gram, posting);
    }
    posting.add(item, chunks);
  }

  /** Calls `visit` for every item whose pattern can match the text from `start` on, each once. */
  visit(text: string, start: number, visit: (item: T) => void): void {
    for (const item of this.#unfiled) visit(item);
    if (this.#postings.size === 0) return;
    this.#walk++;
    const characters = charactersIn(text, start);
    const pairs = pairsIn(text, start);
    for (let index = start; index < text.length; index++) {
      const most = Math.min(LONGEST, text.length - index);
      for (let size = 1; size <= most; size++) {
        if (this.#sizes[size] === 0) continue;
        const posting = this.#postingAt(text, index, size);
        if (posting !== undefined) this.#visitPosting(posting, characters, pairs, visit);
      }
    }
  }

  #postingAt(text: string, index: number, size: number): Posting<T> | undefined {
    let hash = size;
    for (let offset = 0; offset < size; offset++) hash = fold(hash, text.charCodeAt(index + offset));
    hash |= 0;
    const bit = (hash ^ (hash >>> 16)) & 0xffff;
    if (((this.#filter[bit >> 3] as number) & (1 << (bit & 7))) === 0) return undefined;
    return this.#postings.get(hash);
  }

  #visitPosting(posting: Posting<T>, characters: number, pairs: number, visit: (item: T) => void): void {
    if (posting.walk === this.#walk) return;
    posting.walk = this.#walk;
    const { items } = posting;
    for (let position = 0; position < items.length; position++) {
      if (((posting.characters[position] as number) & ~characters) !== 0) continue;
      if (((posting.pairs[position] as number) & ~pairs) !== 0) continue;
      visit(items[position] as T);
    }
  }
}
