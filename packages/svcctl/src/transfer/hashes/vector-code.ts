/** Writes WebAssembly functions on vectors of four words of 32 bits (WebAssembly 2.0, binary format). */

/** Instructions on vectors, behind the prefix 0xfd. */
export const OP = {
  not: 0x4d,
  and: 0x4e,
  andNot: 0x4f,
  or: 0x50,
  xor: 0x51,
  left: 0xab,
  right: 0xad,
  add: 0xae,
};

/** A local that is never set: the address of what has a fixed position. */
export const ZERO = 1;

/** The code of a function, one instruction after the other. */
export class VectorCode {
  readonly bytes: number[] = [];

  /** The value of a local. */
  get(local: number): this {
    return this.#raw(0x20, ...unsigned(local));
  }

  /** Puts the last value into a local. */
  set(local: number): this {
    return this.#raw(0x21, ...unsigned(local));
  }

  /** A number of 32 bits. */
  number(value: number): this {
    return this.#raw(0x41, ...signed(value));
  }

  /** An operation of `OP` on the last values. */
  vector(operation: number): this {
    return this.#raw(0xfd, ...unsigned(operation));
  }

  /** The vector behind the address in a local. */
  load(address: number, offset: number): this {
    return this.get(address).#raw(0xfd, 0x00, 0, ...unsigned(offset));
  }

  /** Stores the vector that `value` leaves. */
  store(offset: number, value: (code: this) => void): this {
    value(this.get(ZERO));
    return this.#raw(0xfd, 0x0b, 4, ...unsigned(offset));
  }

  /** A vector of four of the eight words of two others. */
  shuffle(first: number, second: number, words: readonly number[]): this {
    const bytes = words.flatMap((word) => [0, 1, 2, 3].map((byte) => word * 4 + byte));
    return this.get(first)
      .get(second)
      .#raw(0xfd, 0x0d, ...bytes);
  }

  /** The 32 bits at a fixed position. */
  loadNumber(offset: number): this {
    return this.get(ZERO).#raw(0x28, 2, ...unsigned(offset));
  }

  /** Adds a number to the last one. */
  addNumber(value: number): this {
    return this.number(value).#raw(0x6a);
  }

  /** Repeats what `round` adds, as often as the local says. */
  repeat(times: number, round: () => void): this {
    this.#raw(0x03, 0x40);
    round();
    this.get(times)
      .addNumber(-1)
      .#raw(0x22, ...unsigned(times));
    return this.#raw(0x0d, 0, 0x0b);
  }

  #raw(...bytes: readonly number[]): this {
    this.bytes.push(...bytes);
    return this;
  }
}

/** The number of locals of each kind, beside the parameter. */
export interface VectorLocals {
  /** Of 32 bits, the first ones; `ZERO` is one of them. */
  readonly numbers: number;
  readonly vectors: number;
}

/**
 * A module with one function of one number, which is its local 0. It imports a memory as `e.m`.
 * @param exported the function's name
 */
export function vectorModule(
  exported: string,
  { bytes }: VectorCode,
  { numbers, vectors }: VectorLocals,
): Uint8Array<ArrayBuffer> {
  const body = [2, ...unsigned(numbers), 0x7f, ...unsigned(vectors), 0x7b, ...bytes, 0x0b];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, 1, 0x7f, 0]),
    ...section(2, [1, ...name("e"), ...name("m"), 2, 0, 1]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...name(exported), 0, 0]),
    ...section(10, [1, ...unsigned(body.length), ...body]),
  ]);
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...unsigned(content.length), ...content];
}

function name(text: string): number[] {
  return [text.length, ...Buffer.from(text)];
}

/** LEB128. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: number): number[] {
  return value >= -0x40 && value < 0x40 ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)];
}
