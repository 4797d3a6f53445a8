/**
 * Paths of objects as texts of a test: a byte that is not UTF-8 is the lone surrogate U+DC00 and the byte, so that each path
 * has one text, and each text one path.
 */
import { isUtf8 } from "node:buffer";

const LONE = 0xdc00;

/** The bytes of a path. */
export function pathBytes(path: string): Buffer {
  if (path.isWellFormed()) return Buffer.from(path);
  return Buffer.concat(
    [...path].map((character) => {
      const code = character.codePointAt(0) ?? 0;
      return code >= LONE + 0x80 && code <= LONE + 0xff ? Buffer.of(code - LONE) : Buffer.from(character);
    }),
  );
}

/** The text of a path. */
export function pathOf(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  return bytes
    .toString("latin1")
    .replace(/[\x80-\xff]/g, (character) => String.fromCharCode(LONE + character.charCodeAt(0)));
}

/** The text of a path as it is in the query of a URL. */
export function pathOfQuery(search: string): string {
  const given = /[?&]path=([^&]*)/.exec(search)?.[1] ?? "";
  const bytes = given
    .replaceAll("+", " ")
    .replace(/%([0-9a-f]{2})/gi, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)));
  return pathOf(Buffer.from(bytes, "latin1"));
}
