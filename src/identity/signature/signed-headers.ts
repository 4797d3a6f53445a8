/** The headers that a signature covers (spec/security §2.8). */

import { rememberLast } from "../../remember-last.ts";
import type { SentHeaders } from "../identity.ts";

const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const NEEDS_FOLDING = /^ | $| {2}|[\t\n\v\f\r]/;
/** Matches lines whose value may need folding. */
const PERHAPS_FOLDING = /: | \n| {2}|[\t\v\f\r]/;
// Not `\s`, which also matches characters that are bytes of a UTF-8 text here.
const BLANKS = /[ \t\n\v\f\r]+/g;
const BEYOND_BYTES = /[^\0-\xff]/;
const MAX_NAMES = 256;

/** Names of headers, in order and as a set. */
interface SignedNames {
  readonly list: readonly string[];
  readonly set: ReadonlySet<string>;
}

/**
 * The names in a list of signed headers; undefined unless they are in lower case, sorted and unique. Many users share a
 * program, which signs the same headers again and again.
 */
export const signedNames = rememberLast((text: string): SignedNames | undefined => {
  const list = text.split(";");
  if (list.length > MAX_NAMES) return undefined;
  let before = "";
  for (const name of list) {
    if (!NAME.test(name) || name <= before) return undefined;
    before = name;
  }
  return { list, set: new Set(list) };
});

/**
 * The canonical lines of the signed headers; undefined if one is missing or contains a character that is not a byte.
 */
export function canonicalHeaders(
  { list }: Pick<SignedNames, "list">,
  headers: SentHeaders,
): string | undefined {
  let lines = "";
  let fold = false;
  for (const name of list) {
    const value = headers.get(name);
    if (value === undefined) return undefined;
    lines += `${name}:${value}\n`;
    fold ||= value.includes("\n");
  }
  // One test for all lines, because hardly any value needs folding.
  if (fold || PERHAPS_FOLDING.test(lines)) {
    lines = list.map((name) => `${name}:${folded(headers.get(name) as string)}\n`).join("");
  }
  // A character that is not a byte would be hashed as another one.
  return BEYOND_BYTES.test(lines) ? undefined : lines;
}

/** True if all required headers are signed: the host, and every `x-amz-*` header of the request. */
export function signsRequiredHeaders({ set }: SignedNames, headers: SentHeaders): boolean {
  if (!set.has("host")) return false;
  for (const name of headers.keys()) {
    if (name.startsWith("x-amz-") && !set.has(name)) return false;
  }
  return true;
}

/** Trims a value, and replaces each run of blanks by one blank. */
function folded(value: string): string {
  if (!NEEDS_FOLDING.test(value)) return value;
  const text = value.replace(BLANKS, " ");
  return text.slice(text.startsWith(" ") ? 1 : 0, text.length > 1 && text.endsWith(" ") ? -1 : undefined);
}
