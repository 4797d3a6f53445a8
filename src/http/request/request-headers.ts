/** Headers that `node:http` reads otherwise than a proxy may. */

const AUTHORIZATION = "authorization";

/** True for repeated Authorization headers: Node keeps the first; a proxy may have authenticated the last. */
export function hasRepeatedAuthorization(rawHeaders: readonly string[]): boolean {
  let ofItsLength = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if ((rawHeaders[index] as string).length === AUTHORIZATION.length) ofItsLength++;
  }
  if (ofItsLength < 2) return false;
  const names = rawHeaders.filter((_text, index) => index % 2 === 0);
  return names.filter((name) => name.toLowerCase() === AUTHORIZATION).length > 1;
}
