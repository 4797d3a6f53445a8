/**
 * Classes of actions that a set of patterns cannot tell apart: every action is in exactly one. Known actions and names
 * that stand in policies are in classes by their names; all others are in classes by the wildcards that match them.
 */

import { findText, type SearchBudget, UNDECIDED } from "../compare/pattern-language.ts";
import type { Patterns } from "../compare/pattern-positions.ts";

/** One class. */
interface ActionAtom {
  /** The names in it that are known; empty for a class of other names. */
  readonly names: readonly string[];
  /** An action of the class. */
  readonly example: string;
}

/** Most classes. */
const MOST = 4_096;
const WILDCARD = /[*?]/;

interface Class {
  readonly inside: readonly string[];
  readonly outside: readonly string[];
  /** Undefined for the names that no pattern matches. */
  readonly example: string | undefined;
}

/** The classes of a set of patterns, and those that each pattern matches. */
export class ActionAtoms {
  readonly all: readonly ActionAtom[];
  readonly #patterns: Patterns;
  readonly #matched = new Map<string, ReadonlySet<number>>();

  /**
   * @param known names of known actions
   * @throws RangeError where there are too many classes, or the search for them takes too long
   */
  constructor(given: Iterable<string>, known: Iterable<string>, patterns: Patterns, budget: SearchBudget) {
    this.#patterns = patterns;
    const distinct = [...new Set(given)];
    const wild = distinct.filter((text) => WILDCARD.test(text));
    const names = [...new Set([...distinct.filter((text) => !WILDCARD.test(text)), ...known])];
    const others = classesOf(wild, names, patterns, budget);
    this.all = [
      ...this.#namedClasses(distinct, names),
      ...others.flatMap(({ example }) => (example === undefined ? [] : [{ names: [], example }])),
    ];
  }

  /** Indexes of the classes that a pattern matches: one of those that were given. */
  of(pattern: string): ReadonlySet<number> {
    const known = this.#matched.get(pattern);
    if (known !== undefined) return known;
    const read = this.#patterns.of(pattern);
    const found = new Set<number>();
    for (const [index, { example }] of this.all.entries()) {
      if (read.covers(this.#patterns.of(example))) found.add(index);
    }
    this.#matched.set(pattern, found);
    return found;
  }

  /** Known names by the patterns that match them. */
  #namedClasses(given: readonly string[], names: readonly string[]): readonly ActionAtom[] {
    const classes = new Map<string, string[]>();
    for (const name of names) {
      const text = this.#patterns.of(name);
      const matching = given.flatMap((pattern, index) =>
        this.#patterns.of(pattern).covers(text) ? [index] : [],
      );
      if (matching.length === 0) continue;
      const key = matching.join();
      const known = classes.get(key);
      if (known === undefined) classes.set(key, [name]);
      else known.push(name);
    }
    return [...classes.values()].map((all) => ({ names: all, example: all[0] as string }));
  }
}

/** The classes of the names that are not known, by splitting. */
function classesOf(
  wild: readonly string[],
  names: readonly string[],
  patterns: Patterns,
  budget: SearchBudget,
): readonly Class[] {
  let classes: Class[] = [{ inside: [], outside: [], example: undefined }];
  for (const pattern of wild) {
    const next: Class[] = [];
    for (const one of classes) {
      const { inside, outside, example } = one;
      const isIn = example !== undefined && patterns.of(pattern).covers(patterns.of(example));
      const mayMeet = inside.every((other) => patterns.of(other).mayMeet(patterns.of(pattern)));
      const within = [...inside, pattern];
      if (isIn) next.push({ ...one, inside: within });
      else if (mayMeet) {
        const text = someText(within, [...outside, ...names], budget);
        if (text !== undefined) next.push({ inside: within, outside, example: text });
      }
      const beyond = [...outside, pattern];
      if (!isIn) next.push({ ...one, outside: beyond });
      else {
        const text = someText(inside, [...beyond, ...names], budget);
        if (text !== undefined) next.push({ inside, outside: beyond, example: text });
      }
      if (next.length > MOST) throw new RangeError("too many classes of actions");
    }
    classes = next;
  }
  return classes.filter(({ inside }) => inside.length > 0);
}

function someText(
  inside: readonly string[],
  outside: readonly string[],
  budget: SearchBudget,
): string | undefined {
  const found = findText(inside, outside, budget);
  if (found === UNDECIDED) throw new RangeError("the classes of actions take too long");
  return found;
}
