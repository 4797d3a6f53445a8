/** The headers that a signature covers (security.md §2.8). */

const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const NEEDS_FOLDING = /^ | $| {2}|[\t\n\v\f\r]/;
// Not `\s`, which has characters that are bytes of a UTF-8 text here.
const BLANKS = /[ \t\n\v\f\r]+/g;
const BEYOND_BYTES = /[^\0-\xff]/;
const MAX_NAMES = 256;

/** The names in a list of signed headers; undefined unless in lower case, sorted, and each once. */
export function signedNames(list: string): readonly string[] | undefined {
  const names = list.split(";");
  if (names.length > MAX_NAMES) return undefined;
  let before = "";
  for (const name of names) {
    if (!NAME.test(name) || name <= before) return undefined;
    before = name;
  }
  return names;
}

/** The canonical lines of the signed headers; undefined where one is not there or no bytes. */
export function canonicalHeaders(
  names: readonly string[],
  headers: ReadonlyMap<string, string>,
): string | undefined {
  let lines = "";
  for (const name of names) {
    const value = headers.get(name);
    if (value === undefined) return undefined;
    lines += `${name}:${folded(value)}\n`;
  }
  // A character that is no byte would be hashed as another one.
  return BEYOND_BYTES.test(lines) ? undefined : lines;
}

/** Whether all is signed that must be: the host, and every header of Amazon's that is there. */
export function coversWhatMatters(names: readonly string[], headers: ReadonlyMap<string, string>): boolean {
  const signed = new Set(names);
  if (!signed.has("host")) return false;
  for (const name of headers.keys()) {
    if (name.startsWith("x-amz-") && !signed.has(name)) return false;
  }
  return true;
}

/** Without blanks around it, and with one for each run of them. */
function folded(value: string): string {
  if (!NEEDS_FOLDING.test(value)) return value;
  const text = value.replace(BLANKS, " ");
  return text.slice(text.startsWith(" ") ? 1 : 0, text.length > 1 && text.endsWith(" ") ? -1 : undefined);
}
