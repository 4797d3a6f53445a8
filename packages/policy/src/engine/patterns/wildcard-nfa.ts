/**
 * Matches patterns with `?` on UTF-8 bytes (spec/evaluation §6): `?` consumes one code point, but the search after a `*`
 * moves byte by byte, so `*??` matches the three bytes of one CJK character.
 *
 * All alternatives are followed at once as bits of a set of pattern positions. So the cost is at most text bytes ×
 * ⌈pattern bytes / 32⌉ words for every pattern, without backtracking.
 */

import { finish, type Steps } from "../work.ts";

const STAR = 0x2a;
const QUESTION_MARK = 0x3f;
/** Token of a `?` that is a wildcard; every other token is a byte. */
const ANY = -1;
const encoder = new TextEncoder();

/** Words of sets that are followed between two steps. */
const STEPPED_WORDS = 50_000;

/** Length in bytes of the code point at `index`; 1 for a byte in the middle of one (after a `*`). */
function runeLength(text: Uint8Array, index: number): number {
  const lead = text[index] as number;
  if (lead < 0xc2) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

/** A piece of a pattern. In a literal one, `*` and `?` stand for themselves. */
export interface PatternPiece {
  readonly text: string;
  readonly literal: boolean;
}

/** A compiled pattern with `?`. */
export class WildcardNfa {
  /**
   * Tokens of the pattern: bytes and `?`, with runs of `*` folded into the `stars` bits of the position they precede.
   */
  readonly #tokens: number[] = [];
  readonly #words: number;
  /** Positions that loop on any byte, because a `*` precedes them. */
  readonly #stars: Uint32Array;
  /** Positions whose token is `?`. */
  readonly #anys: Uint32Array;
  /** Byte → positions whose token is that byte. */
  readonly #literals = new Map<number, Uint32Array>();

  /** @param pieces the pattern in order, each of well-formed Unicode */
  constructor(pieces: readonly PatternPiece[]) {
    const starAt: number[] = [];
    for (const { text, literal } of pieces) {
      for (const byte of encoder.encode(text)) {
        if (byte === STAR && !literal) starAt.push(this.#tokens.length);
        else this.#tokens.push(byte === QUESTION_MARK && !literal ? ANY : byte);
      }
    }
    this.#words = (this.#tokens.length >> 5) + 1;
    this.#stars = new Uint32Array(this.#words);
    this.#anys = new Uint32Array(this.#words);
    for (const position of starAt) this.#set(this.#stars, position);
    for (const [position, token] of this.#tokens.entries()) {
      if (token === ANY) this.#set(this.#anys, position);
      else this.#set(this.#literalSet(token), position);
    }
  }

  #set(bits: Uint32Array, position: number): void {
    bits[position >> 5] = (bits[position >> 5] as number) | (1 << (position & 31));
  }

  #literalSet(byte: number): Uint32Array {
    let bits = this.#literals.get(byte);
    if (bits === undefined) {
      bits = new Uint32Array(this.#words);
      this.#literals.set(byte, bits);
    }
    return bits;
  }

  /** True when the whole text matches. */
  match(text: string): boolean {
    return finish(this.matchInSteps(text));
  }

  /** As {@link match}, in steps that cost nothing: whoever runs them spends the price before. */
  *matchInSteps(text: string): Steps<boolean> {
    const bytes = encoder.encode(text);
    // Every token consumes at least a byte.
    if (this.#tokens.length > bytes.length) return false;
    const words = this.#words;
    const atOnce = Math.ceil(STEPPED_WORDS / words);
    let idle = 0;
    // Sets of positions reached before byte i, for the next four bytes: a code point is at most four bytes long.
    const ring = [0, 1, 2, 3, 4].map(() => new Uint32Array(words));
    (ring[0] as Uint32Array)[0] = 1;
    for (let index = 0; index < bytes.length; index++) {
      const now = ring[index % 5] as Uint32Array;
      const next = ring[(index + 1) % 5] as Uint32Array;
      const afterRune = ring[
        (index + Math.min(runeLength(bytes, index), bytes.length - index)) % 5
      ] as Uint32Array;
      const isActive = this.#step(now, this.#literals.get(bytes[index] as number), next, afterRune);
      now.fill(0);
      idle = isActive ? 0 : idle + 1;
      if (idle === ring.length) return false;
      if (index % atOnce === atOnce - 1) yield 0;
    }
    const end = this.#tokens.length;
    return (((ring[bytes.length % 5] as Uint32Array)[end >> 5] as number) & (1 << (end & 31))) !== 0;
  }

  /** Follows all alternatives over one byte; false if there was none. */
  #step(
    now: Uint32Array,
    literal: Uint32Array | undefined,
    next: Uint32Array,
    afterRune: Uint32Array,
  ): boolean {
    let any = 0;
    let literalCarry = 0;
    let anyCarry = 0;
    for (let word = 0; word < now.length; word++) {
      const active = now[word] as number;
      any |= active;
      const byLiteral = literal === undefined ? 0 : active & (literal[word] as number);
      const byAny = active & (this.#anys[word] as number);
      next[word] =
        (next[word] as number) | (active & (this.#stars[word] as number)) | (byLiteral << 1) | literalCarry;
      afterRune[word] = (afterRune[word] as number) | (byAny << 1) | anyCarry;
      literalCarry = byLiteral >>> 31;
      anyCarry = byAny >>> 31;
    }
    return any !== 0;
  }
}
