/** The order of the ways to sign in. */

/**
 * Puts things in an order by name; those that it does not name follow, as they are.
 * @param order names, each once
 */
export function inOrder<T>(
  things: readonly T[],
  order: readonly string[],
  nameOf: (thing: T) => string,
): T[] {
  const place = (thing: T): number => {
    const index = order.indexOf(nameOf(thing));
    return index < 0 ? order.length : index;
  };
  return things.toSorted((a, b) => place(a) - place(b));
}
