/** Sizes of texts in UTF-8. */

/** Most bytes that one UTF-16 unit takes in UTF-8. */
const BYTES_PER_UNIT = 3;

/** True when a text takes at most `bytes` bytes in UTF-8; counts them only where the length alone does not decide. */
export function fits(text: string, bytes: number): boolean {
  return text.length * BYTES_PER_UNIT <= bytes || (text.length <= bytes && Buffer.byteLength(text) <= bytes);
}
