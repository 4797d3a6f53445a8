/** Strict percent-decoding. It refuses texts that servers decode differently. */

import { Unreadable } from "./unreadable.ts";

const VISIBLE_ASCII = /^[!-~]*$/;

/** True for a text of visible ASCII characters, which can stand in a request line. */
export function isVisibleAscii(text: string): boolean {
  return VISIBLE_ASCII.test(text);
}

/** Decodes once. Refuses a `%` without two hexadecimal digits, and bytes that are not UTF-8. */
export function decodeOnce(text: string, what: string): string | Unreadable {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return new Unreadable(`${what} has a bad escape or bad UTF-8`);
  }
}

/** Decodes once in form style: a `+` is a blank. */
export function decodeForm(text: string, what: string): string | Unreadable {
  return decodeOnce(text.replaceAll("+", " "), what);
}
