/**
 * Memory for the items of a batch. Their text is put together piece by piece, and written as bytes a few items at a time:
 * one long text would be copied once more and cost more in garbage than in encoding.
 */

const FIRST_BYTES = 256 << 10;
/** Buffers that are kept for later batches. */
const MOST_FREE = 4;
const MOST_FREE_BYTES = 4 << 20;
/** Bytes of UTF-8 for a character of a text. */
const MOST_PER_CHARACTER = 3;
/** Characters that wait to be written together. */
const WRITE_CHARACTERS = 16 << 10;

const free: Buffer[] = [];

/** Collects texts as UTF-8. */
export class ItemBuffer {
  #bytes: Buffer = Buffer.alloc(0);
  #used = 0;
  #text = "";

  /** Adds a text. */
  add(text: string): void {
    this.#text += text;
    if (this.#text.length >= WRITE_CHARACTERS) this.#write();
  }

  /** The bytes added so far, valid until {@link release}. */
  get bytes(): Buffer {
    this.#write();
    return this.#bytes.subarray(0, this.#used);
  }

  /** Gives the memory back. */
  release(): void {
    const bytes = this.#bytes;
    if (bytes.length > 0 && bytes.length <= MOST_FREE_BYTES && free.length < MOST_FREE) free.push(bytes);
    this.#bytes = Buffer.alloc(0);
    this.#used = 0;
    this.#text = "";
  }

  #write(): void {
    const text = this.#text;
    const least = this.#used + text.length * MOST_PER_CHARACTER;
    if (least > this.#bytes.length) this.#grow(least);
    this.#used += this.#bytes.write(text, this.#used);
    this.#text = "";
  }

  #grow(least: number): void {
    const former = this.#bytes;
    const kept = former.length === 0 ? free.pop() : undefined;
    this.#bytes =
      kept !== undefined && kept.length >= least
        ? kept
        : Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, former.length * 2, least));
    former.copy(this.#bytes, 0, 0, this.#used);
  }
}
