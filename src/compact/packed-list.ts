/** A long list of JSON values in little memory. */

import { deflateSync, inflateSync } from "node:zlib";
import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";

/** Values that are packed together. */
const AT_ONCE = 1_000;
/** Equal beginnings are what there is to save: the fastest level finds them. */
const LEVEL = 1;

/** Values in the order in which they were added. All but the last 1,000 are kept as compressed JSON. */
export class PackedList<T> implements Iterable<T> {
  readonly #packs: Uint8Array[] = [];
  #last: T[] = [];

  /** Number of values. */
  get length(): number {
    return this.#packs.length * AT_ONCE + this.#last.length;
  }

  /** Adds a value, which must be what its JSON says. */
  push(value: T): void {
    this.#last.push(value);
    if (this.#last.length < AT_ONCE) return;
    // A copy: the compressed bytes lie at the beginning of 16 KiB.
    this.#packs.push(new Uint8Array(deflateSync(JSON.stringify(this.#last), { level: LEVEL })));
    this.#last = [];
  }

  *[Symbol.iterator](): Generator<T> {
    for (const pack of this.#packs) yield* parseJsonText(inflateSync(pack).toString()) as readonly T[];
    yield* this.#last;
  }
}
