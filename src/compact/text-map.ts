/** Texts by texts, in little memory: a million short ones take 40 MiB. */

import { TextHashes } from "./text-hashes.ts";

/** Bytes that are allocated at once. */
const CHUNK = 1_024 * 1_024;
const LENGTH_BYTES = 2;
/** Longest value in UTF-8 bytes. */
const MAX_BYTES = 2 ** (8 * LENGTH_BYTES) - 1;

/** Values of up to 65,535 bytes by keys, of which only hashes are kept: see {@link TextHashes}. 4 GiB of them at most. */
export class TextMap {
  readonly #places = new TextHashes({ hasNumbers: true });
  readonly #chunks: Buffer[] = [];
  #used = CHUNK;

  /** True for a key that was added. */
  has(key: string): boolean {
    return this.#places.has(key);
  }

  /** The value of a key. */
  get(key: string): string | undefined {
    const place = this.#places.numberOf(key);
    if (place === undefined) return undefined;
    const chunk = this.#chunks[Math.floor(place / CHUNK)]!;
    const start = (place % CHUNK) + LENGTH_BYTES;
    return chunk.toString("utf8", start, start + chunk.readUInt16LE(start - LENGTH_BYTES));
  }

  /** Adds a key with its value; false if it is there already: then its value stays. */
  add(key: string, value: string): boolean {
    if (this.has(key)) return false;
    const length = Buffer.byteLength(value);
    if (length > MAX_BYTES) throw new RangeError(`a value of ${length} bytes`);
    if (this.#used + LENGTH_BYTES + length > CHUNK) {
      this.#chunks.push(Buffer.alloc(CHUNK));
      this.#used = 0;
    }
    const chunk = this.#chunks.at(-1)!;
    const place = (this.#chunks.length - 1) * CHUNK + this.#used;
    chunk.writeUInt16LE(length, this.#used);
    chunk.write(value, this.#used + LENGTH_BYTES);
    this.#used += LENGTH_BYTES + length;
    return this.#places.add(key, place);
  }
}
