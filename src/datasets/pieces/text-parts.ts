/** Parts of a text that is read again: their places are known, and what is between them is only read past. */

/** The parts of a text that comes in chunks, asked for in order. */
export class TextParts {
  readonly #chunks: AsyncIterator<string>;
  #text = "";
  /** Place of what is in memory. */
  #from = 0;

  constructor(chunks: AsyncIterable<string>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** The text from one place up to another; less where the text ends before. */
  async part(from: number, to: number): Promise<string> {
    while (this.#from + this.#text.length < to && (await this.#fill(from)));
    return this.#text.slice(from - this.#from, to - this.#from);
  }

  /** Reads the rest. */
  async end(): Promise<void> {
    while (await this.#fill(Number.MAX_SAFE_INTEGER));
  }

  /** Ends the reading. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  /** Reads on, and forgets what is before a place; false at the end of the text. */
  async #fill(from: number): Promise<boolean> {
    const next = await this.#chunks.next();
    if (next.done === true) return false;
    const passed = Math.min(this.#text.length, from - this.#from);
    this.#text = this.#text.slice(passed) + next.value;
    this.#from += passed;
    return true;
  }
}
