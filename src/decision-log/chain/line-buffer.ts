/** Lines of a chain that are not on disk yet, encoded and chained (spec/decision-log §2.2). */

import { lineDigest } from "@svc-authorizer/policy/records/digests.ts";
import { type LineText, mostBytes, writeLine } from "./chain-line.ts";

const BLOCK_BYTES = 2 << 20;
/** Blocks that are kept for later lines: memory of the operating system costs more than writing into it. */
const MOST_FREE = 4;

/** Lines that are taken from a buffer to be written. */
export interface TakenLines {
  readonly blocks: readonly Buffer[];
  readonly bytes: number;
  readonly lines: number;
}

/**
 * Texts that wait to be chained: between two requests the processor forgets the code and the data of this, so that each
 * one costs less than half when many follow each other.
 */
const MOST_TEXTS = 64;
const MOST_TEXT_CHARACTERS = 64 << 10;

/** Collects lines in their order, and chains some of them at once. */
export class LineBuffer {
  /** Lines that wait. */
  lines = 0;
  #bytes = 0;
  /** Digest of the last line that was chained. */
  #digest: string;
  #texts: LineText[] = [];
  #characters = 0;
  #full: Buffer[] = [];
  #free: Buffer[] = [];
  #block: Buffer | undefined;
  #used = 0;

  constructor(digest: string) {
    this.#digest = digest;
  }

  /** Bytes that wait; of lines that are not chained yet, the characters. */
  get bytes(): number {
    return this.#bytes + this.#characters;
  }

  /** Digest of the last line that was added. */
  get digest(): string {
    this.#chainAll();
    return this.#digest;
  }

  /** Adds a line. */
  add(text: LineText): void {
    this.lines++;
    // The memory of items is lent for this call only.
    if (text.items !== undefined) {
      this.#chainAll();
      this.#chain(text);
      return;
    }
    this.#texts.push(text);
    this.#characters += text.head.length;
    if (this.#texts.length >= MOST_TEXTS || this.#characters >= MOST_TEXT_CHARACTERS) this.#chainAll();
  }

  #chainAll(): void {
    for (const text of this.#texts) this.#chain(text);
    this.#texts.length = 0;
    this.#characters = 0;
  }

  #chain(text: LineText): void {
    const block = this.#blockFor(mostBytes(text));
    const start = this.#used;
    const end = writeLine(block, start, text, this.#digest);
    this.#digest = lineDigest(block.subarray(start, end));
    this.#used = end + 1;
    this.#bytes += end + 1 - start;
  }

  #blockFor(least: number): Buffer {
    if (this.#block !== undefined && this.#used + least <= this.#block.length) return this.#block;
    this.#closeBlock();
    this.#block =
      least > BLOCK_BYTES
        ? Buffer.allocUnsafeSlow(least)
        : (this.#free.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES));
    return this.#block;
  }

  #closeBlock(): void {
    if (this.#block !== undefined && this.#used > 0) this.#full.push(this.#block.subarray(0, this.#used));
    this.#block = undefined;
    this.#used = 0;
  }

  /** Takes all lines out; {@link release} gives their memory back. */
  take(): TakenLines {
    this.#chainAll();
    const { bytes, lines } = this;
    this.#closeBlock();
    const blocks = this.#full;
    this.#full = [];
    this.#bytes = 0;
    this.lines = 0;
    return { blocks, bytes, lines };
  }

  /** Takes back the memory of lines that are written. */
  release({ blocks }: TakenLines): void {
    for (const { buffer, byteOffset } of blocks) {
      const isOwn = buffer.byteLength === BLOCK_BYTES && byteOffset === 0;
      if (isOwn && this.#free.length < MOST_FREE) this.#free.push(Buffer.from(buffer));
    }
  }
}
