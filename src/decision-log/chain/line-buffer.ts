/** Lines of a chain that are not on disk yet, encoded and chained (spec/decision-log §2.2). */

import { completeLine, type LineText, OPEN_END } from "./chain-line.ts";

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
 * Lines that wait to be chained: between two requests the processor forgets the code and the data of this, so that each
 * one costs less than half when many follow each other.
 */
const MOST_TEXTS = 64;
const MOST_TEXT_CHARACTERS = 64 << 10;
/** Bytes of UTF-8 for a character of a text. */
const MOST_PER_CHARACTER = 3;
const LINE_FEED = 10;

/** Collects lines in their order, and chains some of them at once. */
export class LineBuffer {
  /** Lines that wait. */
  lines = 0;
  #bytes = 0;
  /** Digest of the last line that was chained. */
  #digest: string;
  /** The lines that wait to be chained, as one text: each write to memory costs more than its bytes. */
  #text = "";
  /** Their lengths in characters. */
  #lengths: number[] = [];
  #full: Buffer[] = [];
  #free: Buffer[] = [];
  #block: Buffer | undefined;
  #used = 0;

  constructor(digest: string) {
    this.#digest = digest;
  }

  /** Bytes that wait; of lines that are not chained yet, the characters. */
  get bytes(): number {
    return this.#bytes + this.#text.length;
  }

  /** Digest of the last line that was added. */
  get digest(): string {
    this.#chainAll();
    return this.#digest;
  }

  /** Adds a line. */
  add({ head, items, tail = "" }: LineText): void {
    this.lines++;
    // The memory of items is lent for this call only.
    if (items !== undefined) {
      this.#chainAll();
      this.#chainItems(head, items, tail + OPEN_END);
      return;
    }
    this.#text += head + OPEN_END;
    this.#lengths.push(head.length + OPEN_END.length);
    if (this.#lengths.length >= MOST_TEXTS || this.#text.length >= MOST_TEXT_CHARACTERS) this.#chainAll();
  }

  #chainAll(): void {
    if (this.#lengths.length === 0) return;
    const [text, lengths] = [this.#text, this.#lengths];
    this.#text = "";
    this.#lengths = [];
    const block = this.#blockFor(text.length * MOST_PER_CHARACTER);
    let start = this.#used;
    const isAscii = block.write(text, start) === text.length;
    for (const length of lengths) {
      // JSON has no line feed of its own.
      const end = isAscii ? start + length : block.indexOf(LINE_FEED, start) + 1;
      this.#chain(block, start, end);
      start = end;
    }
  }

  /** A line in three parts. */
  #chainItems(head: string, items: Buffer, tail: string): void {
    const block = this.#blockFor((head.length + tail.length) * MOST_PER_CHARACTER + items.length);
    const start = this.#used;
    let end = start + block.write(head, start);
    block.set(items, end);
    end += items.length;
    this.#chain(block, start, end + block.write(tail, end));
  }

  #chain(block: Buffer, start: number, end: number): void {
    this.#digest = completeLine(block, start, end, this.#digest);
    this.#used = end;
    this.#bytes += end - start;
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
