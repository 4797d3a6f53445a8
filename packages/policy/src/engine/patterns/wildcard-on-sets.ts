/**
 * Compares wildcard patterns with sets of texts: parts in order with any text between neighbours (spec/security §2.5).
 * All alternatives are followed at once as bits of a set of pattern positions. So the cost is at most characters of the
 * set × ⌈pattern length / 32⌉ words for every pattern.
 */

const ANY = "?";
const STAR = "*";

/** A parsed pattern: characters to match, and the positions before which any text may stand. */
interface Positions {
  /** A character, or undefined for any one character. */
  readonly tokens: (string | undefined)[];
  readonly loops: number[];
}

/**
 * The positions of a pattern. In a run of `*` and `?` only the number of `?` matters, so that every position of it
 * may take any text: what a gap can be read into is then as wide as the pattern is. Characters are code points. That
 * behind a `*` the bytes of one may count as several `?` (spec/evaluation §6) makes a pattern contain a little more than
 * this, and no pattern meet more: with a `*` in the one and a gap in the other, only what is before and behind counts.
 */
function positionsOf(pattern: string): Positions {
  const tokens: (string | undefined)[] = [];
  const loops: number[] = [];
  for (const [piece] of pattern.matchAll(/[*?]+|[^*?]/gsu)) {
    if (piece[0] !== STAR && piece[0] !== ANY) {
      tokens.push(piece);
      continue;
    }
    const first = tokens.length;
    for (const one of piece) if (one === ANY) tokens.push(undefined);
    if (!piece.includes(STAR)) continue;
    for (let position = first; position <= tokens.length; position++) loops.push(position);
  }
  return { tokens, loops };
}

/** The bits of one question. */
class PositionSet {
  readonly #words: number;
  readonly #end: number;
  readonly #loops: Uint32Array;
  readonly #anys: Uint32Array;
  readonly #literals = new Map<string, Uint32Array>();
  readonly #none: Uint32Array;
  #now: Uint32Array;
  #next: Uint32Array;

  constructor({ tokens, loops }: Positions) {
    this.#end = tokens.length;
    this.#words = (tokens.length >> 5) + 1;
    const none = (): Uint32Array => new Uint32Array(this.#words);
    this.#loops = none();
    this.#anys = none();
    this.#none = none();
    this.#next = none();
    this.#now = none();
    add(this.#now, 0);
    for (const position of loops) add(this.#loops, position);
    for (const [position, token] of tokens.entries()) {
      const bits = token === undefined ? this.#anys : (this.#literals.get(token) ?? none());
      if (token !== undefined) this.#literals.set(token, bits);
      add(bits, position);
    }
  }

  /** Reads characters; false when nothing can follow. */
  read(text: string): boolean {
    for (const character of text) if (!this.#step(this.#literals.get(character) ?? this.#none)) return false;
    return true;
  }

  #step(literal: Uint32Array): boolean {
    const next = this.#next;
    let carry = 0;
    let alive = 0;
    for (let word = 0; word < this.#words; word++) {
      const now = this.#now[word] as number;
      const moved = now & ((literal[word] as number) | (this.#anys[word] as number));
      const bits = (now & (this.#loops[word] as number)) | (moved << 1) | carry;
      next[word] = bits;
      carry = moved >>> 31;
      alive |= bits;
    }
    this.#next = this.#now;
    this.#now = next;
    return alive !== 0;
  }

  /** Reads an unknown text: only positions that accept any text continue. */
  readAny(): void {
    for (let word = 0; word < this.#words; word++) {
      this.#now[word] = (this.#now[word] as number) & (this.#loops[word] as number);
    }
  }

  /** Reads a text that the pattern may choose: every position after the first can be reached. */
  readSuitable(): void {
    let reached = 0;
    for (let word = 0; word < this.#words; word++) {
      const now = this.#now[word] as number;
      // All bits from the lowest set bit upwards; all bits if a lower word had one.
      this.#now[word] = reached !== 0 ? -1 : now | -now;
      reached |= now;
    }
  }

  /** True when the pattern may end here. */
  get atEnd(): boolean {
    return ((this.#now[this.#end >> 5] as number) & (1 << (this.#end & 31))) !== 0;
  }
}

function add(bits: Uint32Array, position: number): void {
  bits[position >> 5] = (bits[position >> 5] as number) | (1 << (position & 31));
}

/**
 * True if the pattern matches every text of the set. Never true for a set that it does not contain. It can be false for
 * a contained set whose texts need different readings of the pattern.
 */
export function containsTexts(pattern: string, parts: readonly string[]): boolean {
  const positions = new PositionSet(positionsOf(pattern));
  return (
    parts.every((part, index) => {
      if (index > 0) positions.readAny();
      return positions.read(part);
    }) && positions.atEnd
  );
}

/** True when the pattern matches some text of the set, which has a gap. */
export function meetsTexts(pattern: string, parts: readonly string[]): boolean {
  const positions = new PositionSet(positionsOf(pattern));
  return (
    parts.every((part, index) => {
      if (index > 0) positions.readSuitable();
      return positions.read(part);
    }) && positions.atEnd
  );
}
