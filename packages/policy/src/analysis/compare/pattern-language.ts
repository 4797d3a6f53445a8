/**
 * Searches a text that some wildcard patterns match and others do not. The search builds sets of states when it reaches
 * them (subset construction on the fly). If two sets differ only in the patterns to avoid, it follows only the smaller
 * one (the antichain method of De Wulf, Doyen, Henzinger and Raskin, "Antichains: A New Algorithm for Checking
 * Universality of Finite Automata", CAV 2006).
 */

import { type Letter, letterOf, PatternSet, type Positions } from "./pattern-positions.ts";

/** States that one search may visit. The problem has no better bound than exponential; real policies need few. */
const MOST_STATES = 20_000;
/** Steps from position to position that one search may take. */
const MOST_STEPS = 1_000_000;

/** Steps that many searches may take together: a few seconds of work. Further searches give up at once. */
export class SearchBudget {
  left = 5_000_000;
}

/** The result of a search that gave up. */
export const UNDECIDED = Symbol("undecided");

/** Readable letters first, unlikely ones last. */
const READABLE = "xyzwvkqjupXYZWVKQJ0123456789_~abcdefghilmnorst";
const FIRST_UNLIKELY: readonly number[] = [0x21, 0x3041, 0x1_0000];

/** A text, and the patterns of `others` that match it. */
export interface Match {
  readonly text: string;
  /** Indexes into `others`, ascending. */
  readonly matched: readonly number[];
}

/** A state of a search: the positions in each pattern that must match, and in all the others together. */
interface State {
  readonly inside: readonly Positions[];
  readonly outside: Positions;
  readonly before: State | undefined;
  readonly letter: string;
}

function textOf(state: State): string {
  const letters: string[] = [];
  for (let one: State | undefined = state; one !== undefined; one = one.before) letters.push(one.letter);
  return letters.reverse().join("");
}

function isSubset(small: readonly number[], large: readonly number[]): boolean {
  if (small.length > large.length) return false;
  let at = 0;
  for (const position of small) {
    while (at < large.length && (large[at] as number) < position) at++;
    if (large[at] !== position) return false;
  }
  return true;
}

/** A code point from `first` on that the patterns do not contain. */
function unnamed(named: ReadonlySet<number>, first: number): number {
  let code = first;
  while (named.has(code) || code === 0x2a || code === 0x3f) code++;
  return code;
}

/** An ASCII character that none of these texts contains; one of `preferred` if possible. */
export function freshCharacter(texts: readonly string[], preferred = READABLE): string {
  const named = new Set(
    texts.flatMap((text) => [...text.toWellFormed()].map((c) => c.codePointAt(0) as number)),
  );
  const readable = [...preferred].find((character) => !named.has(character.codePointAt(0) as number));
  return readable ?? String.fromCodePoint(unnamed(named, FIRST_UNLIKELY[0] as number));
}

/**
 * Letters that stand for all characters that no pattern contains. Characters of three and four bytes differ only
 * behind a `*` that two or three `?` follow (spec/evaluation §6).
 */
function freshLetters(patterns: readonly string[]): Letter[] {
  const named = new Set<number>();
  let mostAny = 0;
  for (const pattern of patterns) {
    for (const character of pattern.toWellFormed()) named.add(character.codePointAt(0) as number);
    for (const run of pattern.match(/\*[*?]*/g) ?? []) {
      mostAny = Math.max(mostAny, run.replaceAll("*", "").length);
    }
  }
  const [, three, four] = FIRST_UNLIKELY as readonly [number, number, number];
  const letters = [letterOf(freshCharacter(patterns).codePointAt(0) as number)];
  if (mostAny >= 2) letters.push(letterOf(unnamed(named, three)));
  if (mostAny >= 3) letters.push(letterOf(unnamed(named, four)));
  return letters;
}

/** Walks the states of a search breadth first, so that texts come shortest first. */
class Walk {
  readonly outside: PatternSet;
  readonly #inside: readonly PatternSet[];
  readonly #fresh: readonly Letter[];
  readonly #seen = new Map<string, Positions[]>();
  readonly #budget: SearchBudget;
  #states = 0;
  #steps = 0;

  constructor(inside: readonly string[], outside: readonly string[], budget: SearchBudget) {
    this.#budget = budget;
    this.#inside = inside.map((pattern) => new PatternSet([pattern]));
    this.outside = new PatternSet(outside);
    this.#fresh = freshLetters([...inside, ...outside]);
  }

  /** Visits states until `visit` says "stop"; a state of which it says "prune" is not followed. */
  run(visit: (state: State, accepted: boolean) => "stop" | "prune" | "follow"): typeof UNDECIDED | undefined {
    const start = this.#inside.map(({ start }) => start);
    if (this.#budget.left <= 0) return UNDECIDED;
    const queue: State[] = [{ inside: start, outside: this.outside.start, before: undefined, letter: "" }];
    for (let head = 0; head < queue.length; head++) {
      const state = queue[head] as State;
      const verdict = visit(state, this.#accepts(state));
      if (verdict === "stop") return undefined;
      if (verdict === "prune") continue;
      for (const letter of this.#letters(state)) {
        const next = this.#next(state, letter);
        if (next !== undefined) queue.push(next);
      }
      if (this.#states > MOST_STATES || this.#steps > MOST_STEPS) {
        this.#budget.left -= this.#steps;
        return UNDECIDED;
      }
    }
    this.#budget.left -= this.#steps;
    return undefined;
  }

  #accepts({ inside }: State): boolean {
    return inside.every(
      (positions, index) => (this.#inside[index] as PatternSet).accepted(positions).length > 0,
    );
  }

  /** A letter that only patterns of `outside` contain leads to no state that other letters do not reach. */
  #letters({ inside }: State): Letter[] {
    const named = new Set<number>();
    let any = true;
    for (const [index, positions] of inside.entries()) {
      const set = this.#inside[index] as PatternSet;
      any &&= set.takesAny(positions);
      for (const code of set.literals(positions)) named.add(code);
    }
    return [...(any ? this.#fresh : []), ...[...named].map(letterOf)];
  }

  #next(state: State, letter: Letter): State | undefined {
    const inside: Positions[] = [];
    for (const [index, positions] of state.inside.entries()) {
      const next = (this.#inside[index] as PatternSet).step(positions, letter);
      if (next.length === 0) return undefined;
      inside.push(next);
    }
    const outside = this.outside.step(state.outside, letter);
    this.#steps += state.outside.length + outside.length + 1;
    return this.#isNew(inside, outside) ? { inside, outside, before: state, letter: letter.text } : undefined;
  }

  /** False if the search has seen a state that matches no more than this one for every continuation. */
  #isNew(inside: readonly Positions[], outside: Positions): boolean {
    const key = inside.map((positions) => positions.join()).join(";");
    const seen = this.#seen.get(key);
    this.#steps += (seen?.length ?? 0) * outside.length;
    if (seen?.some((known) => isSubset(known, outside))) return false;
    this.#states++;
    if (seen === undefined) this.#seen.set(key, [outside]);
    else this.#seen.set(key, [...seen.filter((known) => !isSubset(outside, known)), outside]);
    return true;
  }
}

/**
 * A shortest non-empty text that all patterns of `inside` match and none of `outside` does: undefined when there is
 * none, {@link UNDECIDED} when the search was given up.
 */
export function findText(
  inside: readonly string[],
  outside: readonly string[],
  budget = new SearchBudget(),
): string | undefined | typeof UNDECIDED {
  const walk = new Walk(inside, outside, budget);
  let found: string | undefined;
  const undecided = walk.run((state, accepted) => {
    const positions = state.outside;
    if (accepted && state.before !== undefined && walk.outside.accepted(positions).length === 0) {
      found = textOf(state);
      return "stop";
    }
    return walk.outside.settled(positions).length > 0 ? "prune" : "follow";
  });
  return found ?? undecided;
}

/**
 * Texts that all patterns of `inside` match, each with the `others` that match it too: for every non-empty text of
 * `inside` there is one among them that at most the same `others` match.
 */
export function leastMatches(
  inside: readonly string[],
  others: readonly string[],
  budget = new SearchBudget(),
): readonly Match[] | typeof UNDECIDED {
  const walk = new Walk(inside, others, budget);
  let least: Match[] = [];
  const undecided = walk.run((state, accepted) => {
    const { outside: positions, before } = state;
    if (accepted && before !== undefined) {
      const matched = walk.outside.accepted(positions);
      if (!least.some((known) => isSubset(known.matched, matched))) {
        least = [
          ...least.filter((known) => !isSubset(matched, known.matched)),
          { text: textOf(state), matched },
        ];
      }
      if (matched.length === 0) return "stop";
    }
    const settled = walk.outside.settled(positions);
    return least.some((known) => isSubset(known.matched, settled)) ? "prune" : "follow";
  });
  return undecided ?? least;
}
