/**
 * Constant-time comparison of secrets. Most secrets are short: they are copied into buffers of one length, because a
 * digest of each attempt would take longer than the rest of the work.
 */

import { hash, timingSafeEqual } from "node:crypto";

/**
 * Longest text, in bytes, that is compared directly; longer texts are compared by their digests. Each byte of it is
 * compared, whatever the length of a secret.
 */
const ROOM = 128;

const presented = Buffer.alloc(ROOM);

/** A secret to compare attempts with. */
export class KnownSecret {
  readonly #bytes = Buffer.alloc(ROOM);
  readonly #length: number;
  readonly #digest: Buffer;

  constructor(secret: string) {
    this.#length = Buffer.byteLength(secret);
    this.#bytes.write(secret);
    this.#digest = digest(secret);
  }

  /** True if the text equals the secret. */
  isSame(text: string): boolean {
    const length = Buffer.byteLength(text);
    if (length > ROOM) return timingSafeEqual(digest(text), this.#digest);
    presented.fill(0);
    presented.write(text);
    return timingSafeEqual(presented, this.#bytes) && length === this.#length;
  }
}

function digest(text: string): Buffer {
  return hash("sha256", text, "buffer");
}
