/**
 * Wildcard patterns as automata that run in parallel (evaluation.md §6): the places in each of many patterns after a
 * text. The same languages as `engine/wildcard.ts`, in the form that a search for a text needs.
 */

const STAR = 0x2a;
const QUESTION = 0x3f;
/** Tokens that are no code point. */
const ANY = -1;
const END = -2;

/** Places in the patterns of a {@link PatternSet}, ascending: a set of states. */
export type Places = readonly number[];

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

function ascending(places: Iterable<number>): Places {
  return [...new Set(places)].sort((a, b) => a - b);
}

/** Patterns, compiled into one table of places. Lone surrogates count as U+FFFD, as in UTF-8. */
export class PatternSet {
  /** Before the first character. */
  readonly start: Places;
  readonly #tokens: number[] = [];
  /** 1 where a `*` stands before the token: any character leaves one in this place. */
  readonly #loops: number[] = [];
  /** Places at the end of a pattern → the pattern's index. */
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

  /** The places after one more character. */
  step(places: Places, letter: Letter): Places {
    const next: number[] = [];
    const add = (place: number): void => {
      if (next.at(-1) !== place) next.push(place);
    };
    let loops = false;
    for (const place of places) {
      const token = this.#tokens[place] as number;
      const stays = this.#loops[place] === 1;
      loops ||= stays;
      if (stays) add(place);
      if (letter.code === READ_STAR.code) continue;
      if (token === ANY || token === letter.code) add(place + 1);
    }
    return loops && letter.tails > 1 ? ascending([...next, ...this.#withinCharacter(places, letter)]) : next;
  }

  /** Places reached by a `*` that stops between the bytes of the character, and `?` for the bytes behind. */
  #withinCharacter(places: Places, { tails }: Letter): Places {
    let reached = places.filter((place) => this.#loops[place] === 1);
    for (let byte = 0; byte < tails; byte++) {
      const stay = reached.filter((place) => this.#loops[place] === 1);
      const taken = reached.filter((place) => this.#tokens[place] === ANY).map((place) => place + 1);
      reached = [...new Set([...stay, ...taken])];
    }
    return reached;
  }

  /** Indexes of the patterns that match a text which ends here, ascending. */
  accepted(places: Places): number[] {
    const found: number[] = [];
    for (const place of places) {
      const pattern = this.#ends.get(place);
      if (pattern !== undefined) found.push(pattern);
    }
    return found;
  }

  /** Indexes of the patterns that match whatever follows, ascending. */
  settled(places: Places): number[] {
    return this.accepted(places.filter((place) => this.#loops[place] === 1));
  }

  /** True when some pattern goes on with any character. */
  takesAny(places: Places): boolean {
    return places.some((place) => this.#loops[place] === 1 || this.#tokens[place] === ANY);
  }

  /** The code points with which some pattern goes on. */
  literals(places: Places): Set<number> {
    return new Set(places.map((place) => this.#tokens[place] as number).filter((token) => token >= 0));
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
    let places = this.#set.start;
    for (const character of narrow.text) {
      if (places.length === 0) return false;
      places = this.#set.step(places, readLetter(character));
    }
    return this.#set.accepted(places).length > 0;
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
