/** Internal ids of entities and batches: sorted by time of creation, never reused. */

import { randomBytes } from "node:crypto";

/** Crockford's alphabet in lower case: its byte order is its value order. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const TIME_DIGITS = 10;
const RANDOM_BYTES = 16;
const POOL_BYTES = 4_096;

let pool = Buffer.alloc(0);
let used = 0;

function randomDigits(): string {
  if (used + RANDOM_BYTES > pool.length) {
    pool = randomBytes(POOL_BYTES);
    used = 0;
  }
  let text = "";
  for (let index = 0; index < RANDOM_BYTES; index++) text += ALPHABET[pool[used++]! & 31];
  return text;
}

/** A new id: 48 bits of Unix milliseconds and 80 random bits, 26 characters of `0-9a-z`. */
export function generateId(): string {
  let time = Date.now();
  let digits = "";
  for (let index = 0; index < TIME_DIGITS; index++) {
    digits = ALPHABET[time % 32]! + digits;
    time = Math.floor(time / 32);
  }
  return digits + randomDigits();
}
