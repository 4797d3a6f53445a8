/**
 * Members of a JSON body. Go compares the names of members without regard to case, and the last one wins; so an object
 * with a member that is equal to what is read under case folding, but not identical, is refused. Whether a name is
 * there twice, only the raw text shows: that is for whoever parses it.
 */

import { Unreadable } from "./unreadable.ts";

const foldings = new Map<string, RegExp>();

/** Matches the texts that Go takes for the name: `iu` folds case as simply as `unicode.SimpleFold` (`ſ` is an `s`). */
function foldingOf(name: string): RegExp {
  let folding = foldings.get(name);
  if (folding === undefined) {
    folding = new RegExp(`^${RegExp.escape(name)}$`, "iu");
    foldings.set(name, folding);
  }
  return folding;
}

/** The value of a member of `object`, undefined where it has none of that name. */
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
 * The value at a dotted path below `root`, e.g. `copy_source.repository`; undefined where its last member is missing.
 * @param what what `root` is called, for messages
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
