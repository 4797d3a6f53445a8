/** A long list of JSON values in little memory. */

import { deflateSync, inflateSync } from "node:zlib";
import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import { Overflow } from "./overflow.ts";
import { Seal } from "./seal.ts";

/** Characters of values that are packed together: each unpacking leaves memory that goes with a late collection only. */
const PACK_CHARS = 512 * 1024;
/** Equal beginnings are what there is to save: the fastest level finds them. */
const LEVEL = 1;

/** Values in the order in which they were added, as JSON. All but the last ones are compressed. */
export class PackedList<T> implements Iterable<T> {
  readonly #overflow: Overflow;
  /** Values may be secret, and the overflow may be a file. */
  readonly #seal = new Seal();
  readonly #packs: { readonly place: number; readonly length: number }[] = [];
  #last: string[] = [];
  #lastChars = 0;
  #length = 0;

  /** @param overflow keeps the packs; default: memory */
  constructor(overflow = new Overflow()) {
    this.#overflow = overflow;
  }

  /** Number of values. */
  get length(): number {
    return this.#length;
  }

  /**
   * Adds a value, which must be what its JSON says.
   * @throws AuthorizerError "unavailable" where the overflow cannot be written
   */
  push(value: T): void {
    const text = JSON.stringify(value);
    this.#last.push(text);
    this.#length += 1;
    this.#lastChars += text.length;
    if (this.#lastChars >= PACK_CHARS) this.#pack();
  }

  *[Symbol.iterator](): Generator<T> {
    for (const [number, { place, length }] of this.#packs.entries()) {
      const pack = this.#seal.unseal(number, this.#overflow.get(place, length));
      yield* valuesOf<T>(inflateSync(pack).toString());
    }
    yield* valuesOf<T>(this.#last.join(","));
  }

  #pack(): void {
    const pack = deflateSync(this.#last.join(","), { level: LEVEL });
    const sealed = this.#seal.seal(this.#packs.length, pack);
    this.#packs.push({ place: this.#overflow.put(sealed), length: sealed.length });
    this.#last = [];
    this.#lastChars = 0;
  }
}

function valuesOf<T>(text: string): readonly T[] {
  return parseJsonText(`[${text}]`) as readonly T[];
}
