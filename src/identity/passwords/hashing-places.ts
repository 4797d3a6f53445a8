/**
 * Places for the hashing of passwords: so many at once, the others wait in the order in which they came. The queue is bounded
 * in all, and for each source, so that nobody takes it all (spec/sign-in §6).
 */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { PlacesBySource } from "../places-by-source.ts";

const MOST_WAITING = 64;
const MOST_OF_ONE = 32;
/** Seconds after which to come again: the whole queue is worked off by then. */
const RETRY_SECONDS = 5;

/** Runs work in its places. */
export class HashingPlaces {
  readonly #places = new PlacesBySource({ ofAll: MOST_WAITING, ofOne: MOST_OF_ONE });
  readonly #waiting: (() => void)[] = [];
  #free: number;

  /** @param concurrency `authorizer.passwords.concurrency` */
  constructor(concurrency: number) {
    this.#free = concurrency;
  }

  /**
   * Runs work once there is a place.
   * @throws AuthorizerError "unavailable" where the queue is full
   */
  run<T>(source: string, work: () => Promise<T>): Promise<T> {
    return this.#places.run(source, () => this.#inTurn(work), tooMany);
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}

function tooMany(): AuthorizerError {
  const message = "too many passwords are being checked at this moment; try again in a few seconds";
  return new AuthorizerError("unavailable", message, { retryAfterSeconds: RETRY_SECONDS });
}
