/** Texts of any number in 4 MiB, told with some error: a Bloom filter of one hash. */

const BITS = 2 ** 25;
const PRIME = 2_654_435_761;

/** Finds every text that was added, and some that were not: 3 % of them after a million, 26 % after ten million. */
export class TextFilter {
  readonly #bits = new Uint8Array(BITS / 8);

  /** Adds a text. */
  add(text: string): void {
    const bit = bitOf(text);
    this.#bits[bit >>> 3]! |= 1 << (bit & 7);
  }

  /** False only for a text that was not added. */
  mayHave(text: string): boolean {
    const bit = bitOf(text);
    return (this.#bits[bit >>> 3]! & (1 << (bit & 7))) !== 0;
  }
}

function bitOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++)
    hash = Math.imul(hash ^ text.charCodeAt(at), PRIME) ^ (hash >>> 15);
  return ((hash ^ (hash >>> 13)) >>> 0) % BITS;
}
