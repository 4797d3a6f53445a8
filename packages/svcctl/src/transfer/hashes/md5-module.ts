/**
 * The code of a WebAssembly module that computes the MD5 of several contents at once: each lane of a vector is one of
 * them. One content alone keeps a processor waiting, because each of the 64 steps needs the result of the one before.
 */

import { OP, VectorCode, type VectorLocals, vectorModule, ZERO } from "./vector-code.ts";

/** Contents that are computed at once: vectors of four, and as many of these as keep a processor busy. */
const VECTORS = 3;
export const LANES = VECTORS * 4;

/** Bytes that one round takes of each content. */
export const BLOCK_BYTES = 64;

/** Positions in the memory that the module imports as `e.m`. */
export const AT = {
  /** For each lane the position of its next block, 32 bits. */
  pointers: 0,
  /** For each vector the four words of the state, each with all lanes. */
  states: 64,
  /** The words of the blocks of one round, for the module alone. */
  words: 512,
  /** The constants of the 64 steps, each four times. */
  constants: 2048,
  /** The first byte that is free for contents. */
  contents: 4096,
} as const;

/** Bits by which each of four steps rotates, in the four quarters of a round, as RFC 1321 has them. */
const ROTATIONS = [
  [7, 12, 17, 22],
  [5, 9, 14, 20],
  [4, 11, 16, 23],
  [6, 10, 15, 21],
] as const;

/** Factor and offset of the word that a step takes, in the four quarters. */
const WORD_ORDER = [
  [1, 0],
  [5, 1],
  [3, 5],
  [7, 0],
] as const;

/** Locals: the number of rounds, a zero, the pointers; then vectors: states, states before the round, temporary ones. */
const ROUNDS = 0;
const POINTERS = ZERO + 1;
const STATES = POINTERS + LANES;
const BEFORE = STATES + VECTORS * 4;
const TEMPORARY = BEFORE + VECTORS * 4;
const LOCALS: VectorLocals = { numbers: LANES + 1, vectors: VECTORS * 8 + 8 };

/** The module. It exports `advance(rounds)`, which takes that many blocks of each lane. */
export function md5Module(): Uint8Array<ArrayBuffer> {
  const code = new VectorCode();
  for (let lane = 0; lane < LANES; lane += 1) code.loadNumber(AT.pointers + lane * 4).set(POINTERS + lane);
  eachState((index) => code.load(ZERO, AT.states + index * 16).set(STATES + index));
  code.repeat(ROUNDS, () => {
    eachState((index) => code.get(STATES + index).set(BEFORE + index));
    spreadWords(code);
    for (let step = 0; step < 64; step += 1) addStep(code, step);
    eachState((index) =>
      code
        .get(STATES + index)
        .get(BEFORE + index)
        .vector(OP.add)
        .set(STATES + index),
    );
    for (let pointer = POINTERS; pointer < POINTERS + LANES; pointer += 1) {
      code.get(pointer).addNumber(BLOCK_BYTES).set(pointer);
    }
  });
  eachState((index) => code.store(AT.states + index * 16, () => code.get(STATES + index)));
  return vectorModule("advance", code, LOCALS);
}

/** The constants of the steps, as `constants` wants them. */
export function md5Constants(): Uint32Array<ArrayBuffer> {
  return Uint32Array.from({ length: 256 }, (_, index) => Math.abs(Math.sin((index >> 2) + 1)) * 2 ** 32);
}

function eachState(use: (index: number) => void): void {
  for (let index = 0; index < VECTORS * 4; index += 1) use(index);
}

/** Turns four words of four contents into four vectors, each with one word of all. */
function spreadWords(code: VectorCode): void {
  const [a, b, c, d, ab, ab2, cd, cd2] = [0, 1, 2, 3, 4, 5, 6, 7].map((index) => TEMPORARY + index) as Eight;
  for (let vector = 0; vector < VECTORS; vector += 1) {
    const pointer = POINTERS + vector * 4;
    for (let word = 0; word < 16; word += 4) {
      for (let lane = 0; lane < 4; lane += 1) code.load(pointer + lane, word * 4).set(a + lane);
      code.shuffle(a, b, [0, 4, 1, 5]).set(ab).shuffle(a, b, [2, 6, 3, 7]).set(ab2);
      code.shuffle(c, d, [0, 4, 1, 5]).set(cd).shuffle(c, d, [2, 6, 3, 7]).set(cd2);
      const at = wordAt(vector, word);
      code
        .store(at, () => code.shuffle(ab, cd, [0, 1, 4, 5]))
        .store(at + 16, () => code.shuffle(ab, cd, [2, 3, 6, 7]));
      code
        .store(at + 32, () => code.shuffle(ab2, cd2, [0, 1, 4, 5]))
        .store(at + 48, () => code.shuffle(ab2, cd2, [2, 3, 6, 7]));
    }
  }
}

type Eight = [number, number, number, number, number, number, number, number];

function wordAt(vector: number, word: number): number {
  return AT.words + (vector * 16 + word) * 16;
}

/** One step for all lanes: `a = b + rotated(a + f(b, c, d) + word + constant)`. */
function addStep(code: VectorCode, step: number): void {
  const quarter = step >> 4;
  const [factor, offset] = WORD_ORDER[quarter] as (typeof WORD_ORDER)[number];
  const word = (factor * step + offset) % 16;
  const bits = ROTATIONS[quarter]?.[step % 4] ?? 0;
  for (let vector = 0; vector < VECTORS; vector += 1) {
    const [a, b, c, d] = [0, 1, 2, 3].map((index) => STATES + vector * 4 + ((index + 64 - step) & 3)) as Four;
    code
      .get(a)
      .load(ZERO, AT.constants + step * 16)
      .vector(OP.add);
    code.load(ZERO, wordAt(vector, word)).vector(OP.add);
    mix(code, quarter, [b, c, d]);
    code.set(TEMPORARY).get(TEMPORARY).number(bits).vector(OP.left);
    code
      .get(TEMPORARY)
      .number(32 - bits)
      .vector(OP.right)
      .vector(OP.or)
      .get(b)
      .vector(OP.add)
      .set(a);
  }
}

type Four = [number, number, number, number];

/** Adds the quarter's function of three words. What needs `b`, the result of the step before, comes last. */
function mix(code: VectorCode, quarter: number, [b, c, d]: readonly [number, number, number]): void {
  if (quarter === 0) code.get(d).get(c).get(d).vector(OP.xor).get(b).vector(OP.and).vector(OP.xor);
  if (quarter === 1) {
    code.get(c).get(d).vector(OP.andNot).vector(OP.add);
    code.get(b).get(d).vector(OP.and);
  }
  if (quarter === 2) code.get(c).get(d).vector(OP.xor).get(b).vector(OP.xor);
  if (quarter === 3) code.get(d).vector(OP.not).get(b).vector(OP.or).get(c).vector(OP.xor);
  code.vector(OP.add);
}
