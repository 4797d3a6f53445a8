/**
 * Members of a JSON body. Go compares names of members without regard to letter case, and the last one wins. So an
 * object is refused if a member equals the wanted name under case folding but is not identical. The parser must refuse
 * duplicate members, which only the raw text shows.
 */

import { Unreadable } from "./unreadable.ts";

const foldings = new Map<string, RegExp>();

/**
 * Matches the texts that Go accepts as the name: the flags `iu` fold case like `unicode.SimpleFold` (`ſ` is an `s`).
 */
function foldingOf(name: string): RegExp {
  let folding = foldings.get(name);
  if (folding === undefined) {
    folding = new RegExp(`^${RegExp.escape(name)}$`, "iu");
    foldings.set(name, folding);
  }
  return folding;
}

/** The value of a member of `object`, or undefined. */
function readMember(object: unknown, name: string, what: string): unknown {
  if (typeof object !== "object" || object === null || Array.isArray(object)) {
    return new Unreadable(`${what} is no object`);
  }
  const folding = foldingOf(name);
  for (const key of Object.keys(object)) {
    if (key !== name && key.length === name.length && folding.test(key)) {
      return new Unreadable(`${what} has a member that differs from "${name}" in letter case only`);
    }
  }
  return Object.hasOwn(object, name) ? (object as Record<string, unknown>)[name] : undefined;
}

/**
 * The value at a dotted path below `root`, e.g. `copy_source.repository`, or undefined if its last member is missing.
 * @param what the name of `root` in messages
 */
export function readJsonPath(root: unknown, path: readonly string[], what: string): unknown {
  let value = root;
  let place = what;
  for (const name of path) {
    value = readMember(value, name, place);
    if (value instanceof Unreadable) return value;
    place = `${place}.${name}`;
  }
  return value;
}
