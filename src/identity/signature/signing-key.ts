/**
 * The key of all signatures of a secret within one scope, that is for a day: HMAC-SHA-256 (RFC 2104) as two hashes in
 * one call each. All that its signatures have in common is written once. Measured, a signature takes two thirds of the
 * time that it takes with copied texts, and a third of that of `createHmac`, which makes an object for each.
 */

import { hash } from "node:crypto";

const BLOCK = 64;
const DIGEST = 32;
const HEX_DIGEST = 2 * DIGEST;
/** Characters of a date and time in the basic form of ISO 8601. */
const TIMESTAMP = 16;
const ALGORITHM = "AWS4-HMAC-SHA256\n";

/** A key, ready to sign. */
export class SigningKey {
  /** The padded key, then the text to sign with places for what differs. */
  readonly #inner: Buffer;
  /** The padded key, then a place for the inner digest. */
  readonly #outer: Buffer;

  /**
   * @param key the digest that the secret and the scope give
   * @param scope `<date>/<region>/s3/aws4_request`
   */
  constructor(key: Buffer, scope: string) {
    const text = Buffer.from(`${ALGORITHM}${" ".repeat(TIMESTAMP)}\n${scope}\n${" ".repeat(HEX_DIGEST)}`);
    this.#inner = Buffer.concat([padded(key, 0x36), text]);
    this.#outer = Buffer.concat([padded(key, 0x5c), Buffer.alloc(DIGEST)]);
  }

  /**
   * The signature of a request, in hexadecimal digits.
   * @param timestamp date and time in the basic form of ISO 8601
   * @param digest of the canonical request, in hexadecimal digits
   * @throws RangeError for arguments of another length
   */
  sign(timestamp: string, digest: string): string {
    const inner = this.#inner;
    const outer = this.#outer;
    if (timestamp.length !== TIMESTAMP || digest.length !== HEX_DIGEST) {
      throw new RangeError("a part of the text to sign has another length");
    }
    inner.write(timestamp, BLOCK + ALGORITHM.length, TIMESTAMP, "latin1");
    inner.write(digest, inner.length - HEX_DIGEST, HEX_DIGEST, "latin1");
    outer.write(hash("sha256", inner, "binary"), BLOCK, DIGEST, "latin1");
    return hash("sha256", outer, "hex");
  }

  /** The signature of any other text, such as that of a chunk of a body, in hexadecimal digits. */
  signText(text: string): string {
    const inner = Buffer.concat([this.#inner.subarray(0, BLOCK), Buffer.from(text)]);
    this.#outer.write(hash("sha256", inner, "binary"), BLOCK, DIGEST, "latin1");
    return hash("sha256", this.#outer, "hex");
  }
}

function padded(key: Buffer, byte: number): Buffer {
  const pad = Buffer.alloc(BLOCK, byte);
  for (const [at, value] of key.entries()) pad[at] = value ^ byte;
  return pad;
}
