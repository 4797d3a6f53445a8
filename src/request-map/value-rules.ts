/** Rules for values that become a part of an ARN (spec/security §2.7). */

import { Unreadable } from "./unreadable.ts";

const DOT_SEGMENT = /(?:^|\/)\.\.?(?:\/|$)/;

/** Returns the value, or refuses it: empty, `.` or `..` alone or between slashes, NUL, lone surrogates. */
export function checkValue(value: string, what: string): string | Unreadable {
  if (value === "") return new Unreadable(`${what} is empty`);
  if (value.includes("\0")) return new Unreadable(`${what} has a NUL`);
  if (!value.isWellFormed()) return new Unreadable(`${what} is no well-formed Unicode`);
  if (DOT_SEGMENT.test(value)) return new Unreadable(`${what} has a segment "." or ".."`);
  return value;
}
