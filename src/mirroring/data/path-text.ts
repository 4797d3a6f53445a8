/** Paths of objects for people. */

import { isUtf8 } from "node:buffer";

/** Characters of a path that are told: data servers take 1,024 bytes, and tables may have more. */
const LONGEST = 1_024;

/** The path as text; with `\xff` for each byte beyond ASCII, and for the backslash, where it is not UTF-8. */
export function pathText(path: Buffer): string {
  const text = isUtf8(path) ? path.toString() : path.toString("latin1").replace(/[\\\x80-\xff]/g, escaped);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}

function escaped(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16)}`;
}
