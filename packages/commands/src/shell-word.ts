/** Texts in command lines that are printed to be copied. */

/** Signs that no shell reads as anything but themselves. */
const PLAIN = /^[\w@%+:,./-]+$/;

/** Returns a text as a shell has to be given it to read it as one word; in single quotes unless that changes nothing. */
export function shellWord(text: string): string {
  return PLAIN.test(text) ? text : inQuotes(text);
}

/** Returns a text in single quotes, as a shell reads it as it is. */
export function inQuotes(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
