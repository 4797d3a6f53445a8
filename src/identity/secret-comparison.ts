/**
 * Comparison of secrets in a time that does not depend on what is presented. Most secrets are short: they are laid into
 * buffers of one length, since a digest of each attempt takes longer than all the rest of it.
 */

import { hash, timingSafeEqual } from "node:crypto";

/** Bytes that are compared as they are; longer texts are compared by their digests. */
const ROOM = 256;

const presented = Buffer.alloc(ROOM);

/** A secret that attempts are compared with. */
export class KnownSecret {
  readonly #bytes = Buffer.alloc(ROOM);
  readonly #length: number;
  readonly #digest: Buffer;

  constructor(secret: string) {
    this.#length = Buffer.byteLength(secret);
    this.#bytes.write(secret);
    this.#digest = digest(secret);
  }

  /** True for the very same text. */
  isSame(text: string): boolean {
    // A character takes at most three bytes, and one that did not fit would be left out.
    if (text.length * 3 > ROOM) return timingSafeEqual(digest(text), this.#digest);
    presented.fill(0);
    const length = presented.write(text);
    return timingSafeEqual(presented, this.#bytes) && length === this.#length;
  }
}

function digest(text: string): Buffer {
  return hash("sha256", text, "buffer");
}
