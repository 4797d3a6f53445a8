/** Texts as JSON: most texts of records have nothing to be escaped, which a look finds out in half the time. */

/** A text of ASCII in which JSON escapes nothing. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** A text as JSON has it, without the quotation marks around it. */
export function quoted(text: string): string {
  return PLAIN.test(text) ? text : JSON.stringify(text).slice(1, -1);
}

/** A text as JSON. */
export function jsonText(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

/**
 * Joins texts that come again in many records. A text that was put together with `+` is one of parts, which are
 * gathered each time that it is written.
 */
export function flat(...texts: readonly string[]): string {
  return texts.join("");
}
