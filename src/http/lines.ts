/** Lines of a byte stream, for newline-delimited JSON. */

import { isUtf8 } from "node:buffer";
import { invalidRequest } from "./errors.ts";

const NEWLINE = 0x0a;
const EMPTY = Buffer.alloc(0);

/** Cuts pieces of a stream into lines; keeps no more than one unfinished line. */
export class LineSplitter {
  #rest: Buffer = EMPTY;
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
    const bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      const line = bytes.subarray(start, end);
      start = end + 1;
      yield this.#decode(line, maxBytes());
    }
    this.#rest = bytes.subarray(start);
    if (this.#rest.length > maxBytes()) this.#decode(this.#rest, maxBytes());
  }

  /** The last line, where the stream does not end with a newline. */
  *end(maxBytes: () => number): Generator<string> {
    if (this.#rest.length === 0) return;
    const rest = this.#rest;
    this.#rest = EMPTY;
    yield this.#decode(rest, maxBytes());
  }

  #decode(bytes: Buffer, maxBytes: number): string {
    this.#line++;
    if (bytes.length > maxBytes)
      throw invalidRequest([], `line ${this.#line}: longer than ${maxBytes} bytes`);
    if (!isUtf8(bytes)) throw invalidRequest([], `line ${this.#line}: not valid UTF-8`);
    return bytes.toString("utf8");
  }
}
