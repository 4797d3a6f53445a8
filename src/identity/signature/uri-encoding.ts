/**
 * The encoding of AWS Signature Version 4: every byte except the unreserved ones of RFC 3986 is written `%XX` with
 * capital digits. Texts are as on the wire, one character for a byte. An encoded byte is not encoded again, so every
 * spelling of a text has the same canonical form.
 */

const PLAIN_PATH = /^\/[\w.~/-]*$/;
const NO_PATH = /^[^/]|^$|[?#]/;
const PLAIN_QUERY = /^[\w.~-]*$/;
const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
const BEYOND_BYTES = /[^\0-\xff]/;
const PATH_PART = /%[0-9A-Fa-f]{2}|[^\w.~/-]/g;
const QUERY_PART = /%[0-9A-Fa-f]{2}|[^\w.~-]/g;

/** Canonical forms by byte: an unreserved byte stays as it is. */
const ENCODED: readonly string[] = Array.from({ length: 256 }, (_none, byte) => {
  const character = String.fromCharCode(byte);
  return PLAIN_QUERY.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
});

/**
 * The canonical form of a path: not normalised, slashes are kept. Undefined if it is not a path or an escape is broken.
 */
export function canonicalPath(raw: string): string | undefined {
  if (PLAIN_PATH.test(raw)) return raw;
  if (NO_PATH.test(raw) || isBroken(raw)) return undefined;
  return raw.replace(PATH_PART, (part) => {
    const byte = byteOf(part);
    return byte === SLASH ? "/" : (ENCODED[byte] as string);
  });
}

/** The canonical form of a name or value in a query, in which `+` is a blank. Undefined if an escape is broken. */
export function canonicalQueryPart(raw: string): string | undefined {
  if (PLAIN_QUERY.test(raw)) return raw;
  if (isBroken(raw)) return undefined;
  return raw.replace(QUERY_PART, (part) => (part === "+" ? "%20" : (ENCODED[byteOf(part)] as string)));
}

const SLASH = 0x2f;

function isBroken(raw: string): boolean {
  return BAD_ESCAPE.test(raw) || BEYOND_BYTES.test(raw);
}

function byteOf(part: string): number {
  return part.length === 1 ? part.charCodeAt(0) : Number.parseInt(part.slice(1), 16);
}
