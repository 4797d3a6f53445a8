/** The keyed part of AWS Signature Version 4. */

import { createHmac, hash, timingSafeEqual } from "node:crypto";
import type { Signature } from "./read-signature.ts";
import { SigningKey } from "./signing-key.ts";

/** A secret with the keys derived from it. */
export interface Signer {
  readonly secret: string;
  /** By date of the scope. Region and service are constant. */
  readonly signingKeys: Map<string, SigningKey>;
}

type Scoped = Pick<Signature, "date" | "region" | "scope">;
type Timed = Scoped & Pick<Signature, "timestamp">;

/** Presigned requests live seven days, so no more dates can be valid at once. */
const MAX_DATES = 9;

/** The digest of a canonical request, in hexadecimal digits. @param canonicalRequest one byte for each character */
export function digestOf(canonicalRequest: string): string {
  return hash("sha256", bytesOf(canonicalRequest));
}

/**
 * True if the signature was made with the secret. Compares in constant time.
 * @param digest of the canonical request
 */
export function isSignedWith(signer: Signer, signature: Timed & { given: string }, digest: string): boolean {
  return isSameDigest(signatureOf(signer, signature, digest), signature.given);
}

/** The signature with the secret of the canonical request that has a digest: 64 hexadecimal digits. */
export function signatureOf(signer: Signer, timed: Timed, digest: string): string {
  return signingKey(signer, timed).sign(timed.timestamp, digest);
}

/** Two texts of 64 hexadecimal digits each. */
const expectedDigits = Buffer.alloc(64);
const givenDigits = Buffer.alloc(64);

/** Compares two texts of 64 digits in constant time, in reused buffers: new ones for each signature would cost a third of its time. */
export function isSameDigest(expected: string, given: string): boolean {
  const length = givenDigits.write(given, "latin1");
  expectedDigits.write(expected, "latin1");
  return (
    timingSafeEqual(expectedDigits, givenDigits) && length === expected.length && given.length === length
  );
}

/** The bytes of a text with one byte for each character. An ASCII text can be hashed as it is. */
function bytesOf(text: string): string | Buffer {
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text, "latin1");
}

/** The key of all signatures with the secret in one scope. */
export function signingKey({ secret, signingKeys }: Signer, { date, region, scope }: Scoped): SigningKey {
  const known = signingKeys.get(date);
  if (known !== undefined) return known;
  const bytes = [date, region, "s3", "aws4_request"].reduce(
    (derived: Buffer, part) => createHmac("sha256", derived).update(part).digest(),
    Buffer.from(`AWS4${secret}`),
  );
  const key = new SigningKey(bytes, scope);
  if (signingKeys.size >= MAX_DATES) signingKeys.clear();
  signingKeys.set(date, key);
  return key;
}
