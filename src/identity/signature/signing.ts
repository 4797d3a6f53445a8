/** The keyed part of AWS Signature Version 4. */

import { createHmac, hash, timingSafeEqual } from "node:crypto";
import { HmacKey } from "./hmac-key.ts";
import type { Signature } from "./read-signature.ts";

/** A secret with the keys derived from it. */
export interface Signer {
  readonly secret: string;
  /** By date of the scope. Region and service are constant. */
  readonly signingKeys: Map<string, HmacKey>;
}

/** Presigned requests live seven days, so no more dates can be valid at once. */
const MAX_DATES = 9;

/** True if the signature was made with the secret. Compares in constant time. */
export function isSignedWith(signer: Signer, signature: Signature): boolean {
  const { timestamp, scope, canonicalRequest, given } = signature;
  const digest = hash("sha256", bytesOf(canonicalRequest));
  const text = `AWS4-HMAC-SHA256\n${timestamp}\n${scope}\n${digest}`;
  return isSameDigest(signingKey(signer, signature).sign(text), given);
}

/** Two texts of 64 hexadecimal digits each. */
const expectedDigits = Buffer.alloc(64);
const givenDigits = Buffer.alloc(64);

/** Compares in constant time, in reused buffers: new ones for each signature would cost a third of its time. */
function isSameDigest(expected: string, given: string): boolean {
  const length = givenDigits.write(given, "latin1");
  expectedDigits.write(expected, "latin1");
  return (
    timingSafeEqual(expectedDigits, givenDigits) && length === expected.length && given.length === length
  );
}

const BEYOND_ASCII = /[^\0-\x7f]/;

/** The bytes of a text with one byte for each character. An ASCII text can be hashed as it is. */
function bytesOf(text: string): string | Buffer {
  return BEYOND_ASCII.test(text) ? Buffer.from(text, "latin1") : text;
}

function signingKey({ secret, signingKeys }: Signer, { date, region }: Signature): HmacKey {
  const known = signingKeys.get(date);
  if (known !== undefined) return known;
  const bytes = [date, region, "s3", "aws4_request"].reduce(
    (derived: Buffer, part) => createHmac("sha256", derived).update(part).digest(),
    Buffer.from(`AWS4${secret}`),
  );
  const key = new HmacKey(bytes);
  if (signingKeys.size >= MAX_DATES) signingKeys.clear();
  signingKeys.set(date, key);
  return key;
}
