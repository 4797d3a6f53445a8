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

/** Presigned requests live seven days, so no more dates can be valid at once. */
const MAX_DATES = 9;

/** True if the signature was made with the secret. Compares in constant time. */
export function isSignedWith(signer: Signer, signature: Signature): boolean {
  return isSameDigest(signatureOf(signer, signature), signature.given);
}

/** The signature of a request with the secret: 64 hexadecimal digits. */
export function signatureOf(
  signer: Signer,
  unsigned: Omit<Signature, "given" | "accessKeyId" | "sessionToken">,
): string {
  const digest = hash("sha256", bytesOf(unsigned.canonicalRequest));
  return signingKey(signer, unsigned).sign(unsigned.timestamp, digest);
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
