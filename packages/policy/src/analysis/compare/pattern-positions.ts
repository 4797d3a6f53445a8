/**
 * Wildcard patterns as automata that run in parallel (spec/evaluation §6): the positions in each of many patterns after a
 * text. The same languages as `engine/patterns/wildcard.ts`, in the form that a search for a text needs.
 */

const STAR = 0x2a;
const QUESTION = 0x3f;
/** Tokens that are no code point. */
const ANY = -1;
const END = -2;

/** Positions in the patterns of a {@link PatternSet}, ascending: a set of states. */
export type Positions = readonly number[];

/** One character of a text, or of a pattern that is read as a text. */
export interface Letter {
  readonly text: string;
  /** Its code point; below zero for what no literal equals. */
  readonly code: number;
  /** UTF-8 bytes after the first: a `*` can stop between them, a `?` then takes them one by one. */
  readonly tails: number;
}

/** A `*` of another pattern, read as a letter: only a `*` takes it, whatever it stands for. */
const READ_STAR: Letter = { text: "*", code: -3, tails: 0 };
/** A `?` of another pattern, read as a letter: one character, whatever it is. */
const READ_ANY: Letter = { text: "?", code: -4, tails: 0 };

/** The letter of a code point. */
export function letterOf(code: number): Letter {
  const tails = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x1_0000 ? 2 : 3;
  return { text: String.fromCodePoint(code), code, tails };
}

function ascending(positions: Iterable<number>): Positions {
  return [...new Set(positions)].sort((a, b) => a - b);
}

/** Patterns, compiled into one table of positions. Lone surrogates count as U+FFFD, as in UTF-8. */
export class PatternSet {
  /** Before the first character. */
  readonly start: Positions;
  readonly #tokens: number[] = [];
  /** 1 where a `*` stands before the token: any character leaves one in this position. */
  readonly #loops: number[] = [];
  /** Positions at the end of a pattern → the pattern's index. */
  readonly #ends = new Map<number, number>();

  constructor(patterns: readonly string[]) {
    this.start = patterns.map((pattern, index) => this.#add(pattern.toWellFormed(), index));
  }

  #add(pattern: string, index: number): number {
    const first = this.#tokens.length;
    let loops = 0;
    const push = (token: number): void => {
      this.#tokens.push(token);
      this.#loops.push(loops);
      loops = 0;
    };
    for (const character of pattern) {
      const code = character.codePointAt(0) as number;
      if (code === STAR) loops = 1;
      else push(code === QUESTION ? ANY : code);
    }
    this.#ends.set(this.#tokens.length, index);
    push(END);
    return first;
  }

  /** The positions after one more character. */
  step(positions: Positions, letter: Letter): Positions {
    const next: number[] = [];
    const add = (position: number): void => {
      if (next.at(-1) !== position) next.push(position);
    };
    let loops = false;
    for (const position of positions) {
      const token = this.#tokens[position] as number;
      const stays = this.#loops[position] === 1;
      loops ||= stays;
      if (stays) add(position);
      if (letter.code === READ_STAR.code) continue;
      if (token === ANY || token === letter.code) add(position + 1);
    }
    return loops && letter.tails > 1
      ? ascending([...next, ...this.#withinCharacter(positions, letter)])
      : next;
  }

  /** Positions reached by a `*` that stops between the bytes of the character, and `?` for the bytes behind. */
  #withinCharacter(positions: Positions, { tails }: Letter): Positions {
    let reached = positions.filter((position) => this.#loops[position] === 1);
    for (let byte = 0; byte < tails; byte++) {
      const stay = reached.filter((position) => this.#loops[position] === 1);
      const taken = reached
        .filter((position) => this.#tokens[position] === ANY)
        .map((position) => position + 1);
      reached = [...new Set([...stay, ...taken])];
    }
    return reached;
  }

  /** Indexes of the patterns that match a text which ends here, ascending. */
  accepted(positions: Positions): number[] {
    const found: number[] = [];
    for (const position of positions) {
      const pattern = this.#ends.get(position);
      if (pattern !== undefined) found.push(pattern);
    }
    return found;
  }

  /** Indexes of the patterns that match whatever follows, ascending. */
  settled(positions: Positions): number[] {
    return this.accepted(positions.filter((position) => this.#loops[position] === 1));
  }

  /** True when some pattern goes on with any character. */
  takesAny(positions: Positions): boolean {
    return positions.some((position) => this.#loops[position] === 1 || this.#tokens[position] === ANY);
  }

  /** The code points with which some pattern goes on. */
  literals(positions: Positions): Set<number> {
    return new Set(
      positions.map((position) => this.#tokens[position] as number).filter((token) => token >= 0),
    );
  }
}

/** A pattern with its literal beginning and end, for quick comparisons. */
export class Pattern {
  readonly text: string;
  /** Before the first wildcard. */
  readonly begin: string;
  /** The text after the last wildcard, or the whole pattern. */
  readonly end: string;
  #set: PatternSet | undefined;

  constructor(text: string) {
    this.text = text.toWellFormed();
    this.begin = /^[^*?]*/.exec(this.text)?.[0] ?? "";
    this.end = this.text.slice(Math.max(this.text.lastIndexOf("*"), this.text.lastIndexOf("?")) + 1);
  }

  /** False only if no text matches both. */
  mayMeet(other: Pattern): boolean {
    const { begin, end } = other;
    if (begin === other.text) return this.covers(other);
    if (this.begin === this.text) return other.covers(this);
    return (
      (this.begin.startsWith(begin) || begin.startsWith(this.begin)) &&
      (this.end.endsWith(end) || end.endsWith(this.end))
    );
  }

  /**
   * True if every text of `narrow` is a text of this pattern. The answer true is always right; false is wrong for a few
   * pairs that differ only in form (`*?` and `?*`).
   */
  covers(narrow: Pattern): boolean {
    const { text } = this;
    if (text === "*" || text === narrow.text) return true;
    if (!narrow.begin.startsWith(this.begin) || !narrow.end.endsWith(this.end)) return false;
    // One star between two literals that the other pattern has too: it matches the text between them.
    const open = text.length - this.begin.length - this.end.length;
    if (open === 1 && text.includes("*")) return narrow.text.length >= text.length - 1;
    if (open <= 0) return false;
    this.#set ??= new PatternSet([text]);
    let positions = this.#set.start;
    for (const character of narrow.text) {
      if (positions.length === 0) return false;
      positions = this.#set.step(positions, readLetter(character));
    }
    return this.#set.accepted(positions).length > 0;
  }
}

function readLetter(character: string): Letter {
  if (character === "*") return READ_STAR;
  return character === "?" ? READ_ANY : letterOf(character.codePointAt(0) as number);
}

/** Patterns by their text, so that each is read once. */
export class Patterns {
  readonly #known = new Map<string, Pattern>();

  of(text: string): Pattern {
    const known = this.#known.get(text) ?? new Pattern(text);
    this.#known.set(text, known);
    return known;
  }
}
