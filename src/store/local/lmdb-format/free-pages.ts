/**
 * The list of pages that are not in use. A value has the count of its numbers in 8 bytes, and the numbers: that of a
 * page, or the negative length of a block and the number of its first page; 0 is an empty place.
 */

const NUMBER_BYTES = 8;

/** Pages that the list names. */
export class FreePages {
  readonly #lastPage: bigint;
  readonly #blocks: { readonly first: bigint; readonly count: bigint }[] = [];

  constructor(lastPage: bigint) {
    this.#lastPage = lastPage;
  }

  /** Adds a value of the list. @throws Error where it is none */
  add(value: Buffer): void {
    const count = value.length < NUMBER_BYTES ? -1n : value.readBigInt64LE(0);
    if (count < 0n || (count + 1n) * BigInt(NUMBER_BYTES) > BigInt(value.length)) throw listError();
    for (let index = 1; index <= Number(count); index++) {
      const number = value.readBigInt64LE(index * NUMBER_BYTES);
      if (number === 0n) continue;
      if (number > 0n) this.#add(number, 1n);
      else {
        index += 1;
        if (index > Number(count)) throw listError();
        this.#add(value.readBigInt64LE(index * NUMBER_BYTES), -number);
      }
    }
  }

  /** Returns the first of these pages that is marked in a set with a bit for each page. */
  firstIn(used: Uint8Array): bigint | undefined {
    for (const { first, count } of this.#blocks) {
      for (let number = Number(first); number < Number(first + count); number++) {
        if (((used[number >> 3] ?? 0) & (1 << (number & 7))) !== 0) return BigInt(number);
      }
    }
    return undefined;
  }

  #add(first: bigint, count: bigint): void {
    if (first < 2n || first + count - 1n > this.#lastPage) throw listError();
    this.#blocks.push({ first, count });
  }
}

function listError(): Error {
  return new Error("the list of free pages is damaged");
}
