/** Lines of a chain that are not on disk yet, encoded and chained (decision-log.md §2.2). */

import { mostBytes, writeLine } from "./chain-line.ts";
import { lineDigest } from "./digests.ts";

const BLOCK_BYTES = 256 * 1024;

/** Lines that are taken from a buffer to be written. */
export interface TakenLines {
  readonly blocks: readonly Buffer[];
  readonly bytes: number;
  readonly lines: number;
}

/** Collects lines. A line is chained to the one before when it is added. */
export class LineBuffer {
  /** Bytes that wait. */
  bytes = 0;
  /** Lines that wait. */
  lines = 0;
  /** Digest of the last line that was added. */
  digest: string;
  #full: Buffer[] = [];
  #block: Buffer = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  #used = 0;

  constructor(digest: string) {
    this.digest = digest;
  }

  /** Adds a line: a JSON object without its closing brace. */
  add(text: string): void {
    const most = mostBytes(text);
    if (this.#used + most > this.#block.length) this.#nextBlock(most);
    const place = this.#used === 0 ? this.#block : this.#block.subarray(this.#used);
    const length = writeLine(place, text, this.digest);
    this.digest = lineDigest(place.subarray(0, length));
    this.#used += length + 1;
    this.bytes += length + 1;
    this.lines++;
  }

  #nextBlock(least: number): void {
    if (this.#used > 0) this.#full.push(this.#block.subarray(0, this.#used));
    this.#block = Buffer.allocUnsafeSlow(Math.max(BLOCK_BYTES, least));
    this.#used = 0;
  }

  /** Takes all lines out. */
  take(): TakenLines {
    const { bytes, lines } = this;
    const used = this.#block.subarray(0, this.#used);
    const blocks = this.#used === 0 ? this.#full : [...this.#full, used];
    this.#full = [];
    // What is left of the block serves the next lines, unless hardly anything is left.
    if (this.#used > BLOCK_BYTES / 2) this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    else this.#block = this.#block.subarray(this.#used);
    this.#used = 0;
    this.bytes = 0;
    this.lines = 0;
    return { blocks, bytes, lines };
  }
}
