/** The texts that two wildcard patterns both match, as patterns. */

import type { Patterns } from "../compare/pattern-positions.ts";

/** Most patterns of an intersection. */
const MOST = 24;

/**
 * The intersection of two patterns as a list of patterns; undefined where it needs too many.
 * @param patterns remembers patterns that are read
 */
export function intersection(left: string, right: string, patterns: Patterns): readonly string[] | undefined {
  const [one, other] = [patterns.of(left), patterns.of(right)];
  if (!one.mayMeet(other)) return [];
  if (one.covers(other)) return [right];
  if (other.covers(one)) return [left];
  const all = new Intersection([...left], [...right]).all;
  if (all === undefined) return undefined;
  return withoutCovered(all, patterns);
}

/** The patterns that no other one of them covers. */
function withoutCovered(texts: Iterable<string>, patterns: Patterns): readonly string[] {
  const sorted = [...new Set(texts)].sort((a, b) => a.length - b.length);
  const kept: string[] = [];
  for (const text of sorted) {
    if (kept.some((one) => patterns.of(one).covers(patterns.of(text)))) continue;
    const wider = patterns.of(text);
    for (const [index, one] of [...kept.entries()].reverse()) {
      if (wider.covers(patterns.of(one))) kept.splice(index, 1);
    }
    kept.push(text);
  }
  return kept;
}

class Intersection {
  readonly #left: readonly string[];
  readonly #right: readonly string[];
  readonly #known = new Map<number, ReadonlySet<string>>();
  #isOver = false;

  constructor(left: readonly string[], right: readonly string[]) {
    this.#left = left;
    this.#right = right;
  }

  /** Patterns that together match what both do. */
  get all(): ReadonlySet<string> | undefined {
    const found = this.#from(0, 0);
    return this.#isOver ? undefined : found;
  }

  /** The rests of texts behind two positions. */
  #from(at: number, beside: number): ReadonlySet<string> {
    const key = at * (this.#right.length + 1) + beside;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const found = new Set<string>();
    if (!this.#isOver) this.#collect(at, beside, (text) => found.add(text.replace(/\*+/g, "*")));
    if (found.size > MOST) this.#isOver = true;
    this.#known.set(key, found);
    return found;
  }

  #collect(at: number, beside: number, add: (text: string) => void): void {
    const [one, other] = [this.#left[at], this.#right[beside]];
    if (one === undefined && other === undefined) return void add("");
    const put = (letter: string, rests: ReadonlySet<string>): void => {
      for (const rest of rests) add(letter + rest);
    };
    if (one === "*" && other === "*") {
      put("*", this.#from(at + 1, beside));
      put("*", this.#from(at, beside + 1));
    } else if (one === "*") {
      put("", this.#from(at + 1, beside));
      if (other !== undefined) put(other, this.#from(at, beside + 1));
    } else if (other === "*") {
      put("", this.#from(at, beside + 1));
      if (one !== undefined) put(one, this.#from(at + 1, beside));
    } else if (one !== undefined && other !== undefined && (one === other || one === "?" || other === "?")) {
      put(one === "?" ? other : one, this.#from(at + 1, beside + 1));
    }
  }
}
