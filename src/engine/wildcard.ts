/**
 * Wildcard patterns of actions, ARNs and string conditions (evaluation.md §6): `*` any run, `?` one character,
 * everything else literal; the whole text must match. Time is linear in the text for every pattern.
 */

import { type PatternPiece, WildcardNfa } from "./wildcard-nfa.ts";

/** A compiled pattern. */
export interface Wildcard {
  /** True when the whole text matches. Texts must be well-formed Unicode. */
  match(text: string): boolean;
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
  if (wellFormed.some(({ text, literal }) => !literal && text.includes("?")))
    return new WildcardNfa(wellFormed);
  const chunks = chunksOf(wellFormed);
  return chunks.length === 1 ? new Literal(chunks[0] as string) : new Chunks(chunks);
}

/** Compiles a pattern. Lone surrogates count as U+FFFD, as in UTF-8. */
export function compileWildcard(pattern: string): Wildcard {
  const wellFormed = pattern.toWellFormed();
  if (wellFormed.includes("?")) return new WildcardNfa([{ text: wellFormed, literal: false }]);
  if (!wellFormed.includes("*")) return new Literal(wellFormed);
  return new Chunks(wellFormed.split("*"));
}

/** True when the text has a character that patterns read as a wildcard. */
export function hasWildcard(text: string): boolean {
  return text.includes("*") || text.includes("?");
}
