/** Hashes of texts with 64 bits. */

import { randomInt } from "node:crypto";

/** All keep the products within 32 bits of an integer multiplication. */
const [PRIME_A, PRIME_B, PRIME_C, PRIME_D] = [2_654_435_761, 1_597_334_677, 2_246_822_507, 3_266_489_909];

/**
 * The hash of the text that it was last given, in two halves that are never both 0. Each one begins with numbers that are drawn
 * for it, so that nobody can choose texts that collide.
 */
export class TextHash {
  readonly #seedA = randomInt(2 ** 32);
  readonly #seedB = randomInt(2 ** 32);
  high = 0;
  low = 1;

  /** Two multiplicative hashes, each mixed with the other at the end. */
  take(text: string): void {
    let a = this.#seedA;
    let b = this.#seedB;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      a = Math.imul(a ^ unit, PRIME_A);
      b = Math.imul(b ^ unit, PRIME_B);
    }
    a = Math.imul(a ^ (a >>> 16), PRIME_C) ^ Math.imul(b ^ (b >>> 13), PRIME_D);
    b = Math.imul(b ^ (b >>> 16), PRIME_C) ^ Math.imul(a ^ (a >>> 13), PRIME_D);
    this.high = a >>> 0;
    this.low = b >>> 0 || (this.high === 0 ? 1 : 0);
  }
}
