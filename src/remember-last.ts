/** Texts that come again and again, one after the other, are read once. */

/** No argument of anybody. */
const NOTHING: unique symbol = Symbol("nothing");

/**
 * Returns a function that answers like `compute`, but asks it only where the argument is not the one before (`===`). The
 * result is shared: nobody may change it.
 * @param compute depends on nothing but its argument; where it throws, nothing is remembered
 */
export function rememberLast<A, R>(compute: (argument: A) => R): (argument: A) => R {
  let last: A | typeof NOTHING = NOTHING;
  let result: R | undefined;
  return (argument) => {
    if (argument !== last) {
      result = compute(argument);
      last = argument;
    }
    return result as R;
  };
}
