/** Headers that `node:http` reads otherwise than a proxy may. */

/**
 * True for a header that came more than once: of Authorization and Host, Node keeps the first; a proxy may have gone by the last.
 * @param name in lower case
 */
export function isRepeated(rawHeaders: readonly string[], name: string): boolean {
  let found = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const one = rawHeaders[index] as string;
    // Most names are told apart by their length.
    if (one.length === name.length && one.toLowerCase() === name) found++;
  }
  return found > 1;
}
