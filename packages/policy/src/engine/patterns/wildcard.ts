/**
 * Wildcard patterns of actions, ARNs and string conditions (spec/evaluation §6): `*` any run, `?` one character,
 * everything else literal; the whole text must match. Time is linear in the text for every pattern.
 */

import { STEP_UNITS, type Steps } from "../work.ts";
import { type PatternPiece, WildcardNfa } from "./wildcard-nfa.ts";

/** A compiled pattern. */
export interface Wildcard {
  /** True when the whole text matches. Texts must be well-formed Unicode. */
  match(text: string): boolean;
  /** As `match`, in steps that cost nothing; absent where a match is always short. */
  matchInSteps?(text: string): Steps<boolean>;
}

class Literal implements Wildcard {
  readonly #text: string;
  constructor(text: string) {
    this.#text = text;
  }
  match(text: string): boolean {
    return text === this.#text;
  }
}

/** Literal chunks between stars: the first and the last are anchored, those between are found left to right. */
class Chunks implements Wildcard {
  readonly #first: string;
  readonly #middle: readonly string[];
  readonly #last: string;
  readonly #shortest: number;

  constructor(chunks: readonly string[]) {
    this.#first = chunks[0] as string;
    this.#last = chunks[chunks.length - 1] as string;
    this.#middle = chunks.slice(1, -1).filter((chunk) => chunk !== "");
    this.#shortest = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  }

  match(text: string): boolean {
    if (text.length < this.#shortest || !text.startsWith(this.#first) || !text.endsWith(this.#last))
      return false;
    const end = text.length - this.#last.length;
    let position = this.#first.length;
    for (const chunk of this.#middle) {
      const found = text.indexOf(chunk, position);
      if (found < 0) return false;
      position = found + chunk.length;
      if (position > end) return false;
    }
    return true;
  }
}

const STAR = 0x2a;
const QUESTION_MARK = 0x3f;
const NOT_ASCII = 0x80;
/** Up to this length a pattern with `?` goes back to its last star where it does not fit: a bounded number of steps. */
const SHORT_PATTERN = 64;

/** A short pattern with `?`. Texts beyond ASCII, where `?` takes several bytes, are left to the automaton. */
class ShortPattern implements Wildcard {
  readonly #pattern: string;
  /** The last character where it is literal and ASCII: it tells most texts apart. */
  readonly #last: number;
  #automaton: WildcardNfa | undefined;

  constructor(pattern: string) {
    this.#pattern = pattern;
    const last = pattern.charCodeAt(pattern.length - 1);
    this.#last = last === STAR || last === QUESTION_MARK || last >= NOT_ASCII ? -1 : last;
  }

  match(text: string): boolean {
    const pattern = this.#pattern;
    if (this.#last >= 0 && text.charCodeAt(text.length - 1) !== this.#last) return false;
    let place = 0;
    let star = -1;
    let mark = 0;
    for (let index = 0; index < text.length; ) {
      const unit = text.charCodeAt(index);
      if (unit >= NOT_ASCII) return this.#matchBytes(text);
      const token = place < pattern.length ? pattern.charCodeAt(place) : -1;
      if (token === STAR) {
        star = place++;
        mark = index;
      } else if (token === unit || token === QUESTION_MARK) {
        place++;
        index++;
      } else if (star >= 0) {
        place = star + 1;
        index = ++mark;
      } else return false;
    }
    while (place < pattern.length && pattern.charCodeAt(place) === STAR) place++;
    return place === pattern.length;
  }

  *matchInSteps(text: string): Steps<boolean> {
    if (text.length * this.#pattern.length <= STEP_UNITS) return this.match(text);
    return yield* this.#bytewise.matchInSteps(text);
  }

  #matchBytes(text: string): boolean {
    return this.#bytewise.match(text);
  }

  get #bytewise(): WildcardNfa {
    this.#automaton ??= new WildcardNfa([{ text: this.#pattern, literal: false }]);
    return this.#automaton;
  }
}

/** The texts between the stars of a pattern without `?`. */
function chunksOf(pieces: readonly PatternPiece[]): string[] {
  const chunks = [""];
  for (const { text, literal } of pieces) {
    const [first = "", ...more] = literal ? [text] : text.split("*");
    chunks[chunks.length - 1] += first;
    chunks.push(...more);
  }
  return chunks;
}

/** Compiles a pattern that is put together from pieces, such as one with text that must not act as a wildcard. */
export function compilePieces(pieces: readonly PatternPiece[]): Wildcard {
  const wellFormed = pieces.map(({ text, literal }) => ({ text: text.toWellFormed(), literal }));
  // Without literal wildcards the pieces are one pattern, which is far quicker to compile.
  if (!wellFormed.some(({ text, literal }) => literal && hasWildcard(text)))
    return compileWildcard(wellFormed.map(({ text }) => text).join(""));
  if (wellFormed.some(({ text, literal }) => !literal && text.includes("?")))
    return new WildcardNfa(wellFormed);
  const chunks = chunksOf(wellFormed);
  return chunks.length === 1 ? new Literal(chunks[0] as string) : new Chunks(chunks);
}

/** Compiles a pattern. Lone surrogates count as U+FFFD, as in UTF-8. */
export function compileWildcard(pattern: string): Wildcard {
  const wellFormed = pattern.toWellFormed();
  if (wellFormed.includes("?")) {
    return wellFormed.length <= SHORT_PATTERN
      ? new ShortPattern(wellFormed)
      : new WildcardNfa([{ text: wellFormed, literal: false }]);
  }
  if (!wellFormed.includes("*")) return new Literal(wellFormed);
  return new Chunks(wellFormed.split("*"));
}

/** The result of a match, or its steps where it may be long. */
export function matching(pattern: Wildcard, text: string): boolean | Steps<boolean> {
  return pattern.matchInSteps === undefined ? pattern.match(text) : pattern.matchInSteps(text);
}

/** True when the text has a character that patterns read as a wildcard. */
export function hasWildcard(text: string): boolean {
  return text.includes("*") || text.includes("?");
}
