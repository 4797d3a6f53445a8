/**
 * Memory for the items of a batch. They are written as bytes one by one: a long text that is put together from many pieces
 * would cost more in garbage than in encoding.
 */

const FIRST_BYTES = 256 << 10;
/** Buffers that are kept for later batches. */
const MOST_FREE = 4;
const MOST_FREE_BYTES = 4 << 20;
/** Bytes of UTF-8 for a character of a text. */
const MOST_PER_CHARACTER = 3;

/** A text of ASCII in which JSON escapes nothing. */
const PLAIN = /^[ !#-[\]-~]*$/;

const free: Buffer[] = [];

/** Collects texts as UTF-8. */
export class ItemBuffer {
  #bytes: Buffer = Buffer.alloc(0);
  #used = 0;

  /** Adds a text. */
  add(text: string): void {
    const least = this.#used + text.length * MOST_PER_CHARACTER;
    if (least > this.#bytes.length) this.#grow(least);
    this.#used += this.#bytes.write(text, this.#used);
  }

  /** Adds bytes. */
  addBytes(bytes: Uint8Array): void {
    const end = this.#used + bytes.length;
    if (end > this.#bytes.length) this.#grow(end);
    this.#bytes.set(bytes, this.#used);
    this.#used = end;
  }

  /** Adds a text as a JSON string, without the quotation marks around it. */
  addQuoted(text: string): void {
    // Nearly all texts are as they are: a copy of each with quotation marks would be garbage.
    if (!PLAIN.test(text)) {
      this.add(JSON.stringify(text).slice(1, -1));
      return;
    }
    const least = this.#used + text.length;
    if (least > this.#bytes.length) this.#grow(least);
    this.#used += this.#bytes.write(text, this.#used, "latin1");
  }

  /** The bytes added so far, valid until {@link release}. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#used);
  }

  /** Gives the memory back. */
  release(): void {
    const bytes = this.#bytes;
    if (bytes.length > 0 && bytes.length <= MOST_FREE_BYTES && free.length < MOST_FREE) free.push(bytes);
    this.#bytes = Buffer.alloc(0);
    this.#used = 0;
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
