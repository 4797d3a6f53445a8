/**
 * Finds the patterns that can match a text among many that begin alike: each pattern is filed under the rarest run
 * of four characters of its literal parts, and a text is walked once.
 */

const GRAM = 4;

function gramAt(text: string, index: number): number {
  let hash = 0;
  for (let offset = 0; offset < GRAM; offset++)
    hash = (Math.imul(hash, 0x01000193) ^ text.charCodeAt(index + offset)) | 0;
  return hash;
}

function gramsOf(chunks: readonly string[]): number[] {
  const grams: number[] = [];
  for (const chunk of chunks) {
    for (let index = 0; index + GRAM <= chunk.length; index++) grams.push(gramAt(chunk, index));
  }
  return grams;
}

interface Posting<T> {
  readonly items: T[];
  /** The walk that saw it last: a run that repeats in a text yields its items once. */
  walk: number;
}

/** An index from literal parts of patterns to items. */
export class GramIndex<T> {
  readonly #frequency = new Map<number, number>();
  readonly #pending: { readonly grams: readonly number[]; readonly item: T }[] = [];
  readonly #postings = new Map<number, Posting<T>>();
  readonly #unfiled: T[] = [];
  #walk = 0;

  /** Adds an item whose pattern holds these literal parts, all of which a matching text contains. */
  add(chunks: readonly string[], item: T): void {
    const grams = gramsOf(chunks);
    for (const gram of new Set(grams)) this.#frequency.set(gram, (this.#frequency.get(gram) ?? 0) + 1);
    this.#pending.push({ grams, item });
  }

  /** Files everything added; to be called once, after the last `add`. */
  seal(): void {
    for (const { grams, item } of this.#pending) {
      let rarest: number | undefined;
      for (const gram of grams) {
        if (rarest === undefined || this.#count(gram) < this.#count(rarest)) rarest = gram;
      }
      if (rarest === undefined) this.#unfiled.push(item);
      else this.#posting(rarest).items.push(item);
    }
    this.#pending.length = 0;
    this.#frequency.clear();
  }

  #count(gram: number): number {
    return this.#frequency.get(gram) ?? 0;
  }

  #posting(gram: number): Posting<T> {
    let posting = this.#postings.get(gram);
    if (posting === undefined) {
      posting = { items: [], walk: 0 };
      this.#postings.set(gram, posting);
    }
    return posting;
  }

  /** Calls `visit` for every item whose pattern can match the text from `start` on, each once. */
  visit(text: string, start: number, visit: (item: T) => void): void {
    for (const item of this.#unfiled) visit(item);
    if (this.#postings.size === 0) return;
    this.#walk++;
    for (let index = start; index + GRAM <= text.length; index++) {
      const posting = this.#postings.get(gramAt(text, index));
      if (posting === undefined || posting.walk === this.#walk) continue;
      posting.walk = this.#walk;
      for (const item of posting.items) visit(item);
    }
  }
}
