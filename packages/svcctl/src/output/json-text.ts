/** JSON on standard output. */

/** A value as `--json` prints it, ending with a line feed. */
export function jsonText(value: unknown): string {
  // JSON leaves the controls above ASCII as they are; a terminal would obey them.
  const text = JSON.stringify(value, undefined, 2).replace(
    /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `${text}\n`;
}
