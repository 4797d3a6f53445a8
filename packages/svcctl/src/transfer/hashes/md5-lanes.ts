/** Computes the MD5 of several contents together: a content takes a quarter of the time that it takes alone. */

import { endianness } from "node:os";
import { AT, BLOCK_BYTES, LANES, md5Constants, md5Module } from "./md5-module.ts";

/** Bytes of a content that are computed at once, at most. */
export const LANE_BYTES = 128 * 1024;

const PAGE_BYTES = 64 * 1024;

const CODE = md5Module();

/** False on processors without vectors of 128 bits, and on those that store the highest byte of a word first. */
export const HAS_LANES = endianness() === "LE" && WebAssembly.validate(CODE);

/** The exports of the module. */
interface Md5Exports {
  advance(rounds: number): void;
}

/** The memory that lanes have for their contents, and the code that computes them. */
export class Md5Lanes {
  readonly #bytes: Uint8Array;
  readonly #words: Uint32Array;
  readonly #advance: (rounds: number) => void;

  constructor() {
    const initial = Math.ceil((AT.contents + LANES * LANE_BYTES) / PAGE_BYTES);
    const memory = new WebAssembly.Memory({ initial });
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(CODE), { e: { m: memory } });
    this.#advance = (exports as unknown as Md5Exports).advance;
    this.#bytes = new Uint8Array(memory.buffer);
    this.#words = new Uint32Array(memory.buffer);
    this.#words.set(md5Constants(), AT.constants / 4);
    for (let lane = 0; lane < LANES; lane += 1) this.#words[AT.pointers / 4 + lane] = contentAt(lane);
  }

  /** The memory of a lane, of `LANE_BYTES`. */
  memory(lane: number): Uint8Array {
    return this.#bytes.subarray(contentAt(lane), contentAt(lane) + LANE_BYTES);
  }

  /**
   * Takes bytes from the memory of the first lanes into their states.
   * @param bytes the number for each lane, whole blocks of 64
   */
  take(states: readonly Md5State[], bytes: number): void {
    for (const [lane, { words }] of states.entries()) {
      for (let word = 0; word < 4; word += 1) this.#words[stateAt(lane, word)] = words[word] as number;
    }
    this.#advance(bytes / BLOCK_BYTES);
    for (const [lane, { words }] of states.entries()) {
      for (let word = 0; word < 4; word += 1) words[word] = this.#words[stateAt(lane, word)] as number;
    }
  }
}

/** The state of MD5 behind the blocks of a content that were computed. */
export class Md5State {
  readonly words = Uint32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476);

  /**
   * Ends the content.
   * @param rest the bytes behind the last whole block
   * @param length of the content in bytes
   * @returns lower-case hexadecimal
   */
  digest(lanes: Md5Lanes, rest: Uint8Array, length: number): string {
    const last = Buffer.alloc(rest.length + 9 > BLOCK_BYTES ? 2 * BLOCK_BYTES : BLOCK_BYTES);
    last.set(rest);
    last[rest.length] = 0x80;
    last.writeBigUInt64LE(BigInt(length) * 8n, last.length - 8);
    lanes.memory(0).set(last);
    lanes.take([this], last.length);
    return Buffer.from(this.words.buffer).toString("hex");
  }
}

function contentAt(lane: number): number {
  return AT.contents + lane * LANE_BYTES;
}

/** Index of a word of a lane's state, among all words of the memory: each vector has one word of four lanes. */
function stateAt(lane: number, word: number): number {
  return AT.states / 4 + ((lane >> 2) * 4 + word) * 4 + (lane & 3);
}
