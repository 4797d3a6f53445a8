/** The text of a file, of which a part is in memory. */

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { Position } from "@svc-authorizer/policy/source-files/source.ts";

const CHUNK_BYTES = 256 * 1024;

/** A reason why a file cannot be read on. */
export class TextFaultError extends Error {
  readonly position: Position | undefined;

  constructor(message: string, position?: Position) {
    super(message);
    this.position = position;
  }
}

/**
 * Reads a file as UTF-8 text without byte order mark. Throws {@link TextFaultError}.
 * @param ended told the digest of the bytes at the end
 */
export async function* textOf(file: string, ended?: (digest: string) => void): AsyncGenerator<string> {
  const hash = createHash("sha256");
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    for await (const bytes of createReadStream(file, { highWaterMark: CHUNK_BYTES })) {
      hash.update(bytes as Buffer);
      yield decoder.decode(bytes as Buffer, { stream: true });
    }
    yield decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) throw new TextFaultError("the file is not UTF-8");
    const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
    throw new TextFaultError(`the file cannot be read${code}`);
  }
  ended?.(hash.digest("base64url"));
}

/** A text from a place on, as far as it was read; offsets count from that place. */
export class TextWindow {
  readonly #chunks: AsyncIterator<string>;
  #text = "";
  #at = 0;
  /** Characters that were forgotten. */
  #before = 0;
  #line = 1;
  #column = 1;
  #isWhole = false;

  constructor(chunks: AsyncIterable<string>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** The text that is in memory; the place is at {@link at}. */
  get text(): string {
    return this.#text;
  }

  /** Index of the place in {@link text}. */
  get at(): number {
    return this.#at;
  }

  /** Index of the place in the whole text. */
  get offset(): number {
    return this.#before + this.#at;
  }

  /** True once the rest of the text is in memory. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Line and column of the place. */
  get position(): Position {
    return { line: this.#line, column: this.#column };
  }

  /** Reads on, and forgets what is before the place; false at the end of the text. */
  async fill(): Promise<boolean> {
    if (this.#isWhole) return false;
    const next = await this.#chunks.next();
    if (next.done === true) {
      this.#isWhole = true;
      return false;
    }
    this.#text = this.#text.slice(this.#at) + next.value;
    this.#before += this.#at;
    this.#at = 0;
    return true;
  }

  /** Moves the place. */
  skip(length: number): void {
    const end = this.#at + length;
    for (let newline = this.#text.indexOf("\n", this.#at); newline >= 0 && newline < end; ) {
      this.#line += 1;
      this.#column = 1;
      this.#at = newline + 1;
      newline = this.#text.indexOf("\n", this.#at);
    }
    this.#column += end - this.#at;
    this.#at = end;
  }

  /** The code unit at an offset; NaN behind what is in memory. */
  unitAt(offset: number): number {
    return this.#text.charCodeAt(this.#at + offset);
  }

  /** A part of the text. */
  slice(start: number, end: number): string {
    return this.#text.slice(this.#at + start, this.#at + end);
  }

  /** Ends the reading. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}
