/** Lines of a byte stream, for newline-delimited JSON. */

import { isUtf8 } from "node:buffer";
import { invalidRequest } from "../errors.ts";

const NEWLINE = 0x0a;
const EMPTY = Buffer.alloc(0);

/** Cuts pieces of a stream into lines; keeps no more than one unfinished line. */
export class LineSplitter {
  /** The unfinished line, in its first {@link #length} bytes. */
  #rest: Buffer = EMPTY;
  #length = 0;
  #line = 0;

  /** 1-based number of the line that was given out last. */
  get line(): number {
    return this.#line;
  }

  /**
   * The lines that a further piece completes, without their ends.
   * @param maxBytes longest line; may change from piece to piece.
   * @throws AuthorizerError "invalid_request" for a longer line, or one that is not UTF-8.
   */
  *push(piece: Buffer, maxBytes: () => number): Generator<string> {
    let start = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, start)) {
      const line = this.#completed(piece.subarray(start, end));
      start = end + 1;
      yield this.#decode(line, maxBytes());
    }
    this.#keep(piece.subarray(start));
    if (this.#length > maxBytes()) this.#decode(this.#rest.subarray(0, this.#length), maxBytes());
  }

  /** The last line, where the stream does not end with a newline. */
  *end(maxBytes: () => number): Generator<string> {
    if (this.#length === 0) return;
    yield this.#decode(this.#completed(EMPTY), maxBytes());
  }

  /** The unfinished line with its end. */
  #completed(end: Buffer): Buffer {
    if (this.#length === 0) return end;
    this.#keep(end);
    const line = this.#rest.subarray(0, this.#length);
    this.#length = 0;
    this.#rest = EMPTY;
    return line;
  }

  /** Copies into a buffer that grows: joining two buffers for each piece would take quadratic time. */
  #keep(piece: Buffer): void {
    const length = this.#length + piece.length;
    if (length > this.#rest.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(1024, 2 * length));
      this.#rest.copy(grown, 0, 0, this.#length);
      this.#rest = grown;
    }
    piece.copy(this.#rest, this.#length);
    this.#length = length;
  }

  #decode(bytes: Buffer, maxBytes: number): string {
    this.#line++;
    if (bytes.length > maxBytes)
      throw invalidRequest([], `line ${this.#line}: longer than ${maxBytes} bytes`);
    if (!isUtf8(bytes)) throw invalidRequest([], `line ${this.#line}: not valid UTF-8`);
    return bytes.toString("utf8");
  }
}
