/** Percent-encoding, read as strictly as possible: what servers read in different ways is refused. */

import { Unreadable } from "./unreadable.ts";

const VISIBLE_ASCII = /^[!-~]*$/;

/** True for a text that can stand in a request line as it is, without white space or a byte above ASCII. */
export function isVisibleAscii(text: string): boolean {
  return VISIBLE_ASCII.test(text);
}

/** Decodes once. Refuses a `%` without two hexadecimal digits, and bytes that are no UTF-8. */
export function decodeOnce(text: string, what: string): string | Unreadable {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return new Unreadable(`${what} has a bad escape or bad UTF-8`);
  }
}

/** Decodes once, as in forms: a `+` is a blank. */
export function decodeForm(text: string, what: string): string | Unreadable {
  return decodeOnce(text.replaceAll("+", " "), what);
}
