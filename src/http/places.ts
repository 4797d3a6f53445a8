/** Places for streams. One caller gets at most half of them, so that it cannot keep others out (spec/security §5.3). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";

/** Time after which a caller may ask again, in seconds. */
const RETRY_SECONDS = 5;

/** A bounded number of places. */
export class Places {
  readonly #most: number;
  readonly #refusal: string;
  readonly #byCaller = new Map<string, number>();
  #taken = 0;

  /**
   * @param most number of places
   * @param refusal the message for those who get none
   */
  constructor(most: number, refusal: string) {
    this.#most = most;
    this.#refusal = refusal;
  }

  /**
   * Takes a place for a caller; returns the function that gives it back, to be called once.
   * @throws AuthorizerError "unavailable" when there is none, or when this caller has half of all
   */
  take(caller: string): () => void {
    const own = this.#byCaller.get(caller) ?? 0;
    if (this.#taken >= this.#most || own >= Math.ceil(this.#most / 2)) {
      throw new AuthorizerError("unavailable", this.#refusal, { retryAfterSeconds: RETRY_SECONDS });
    }
    this.#taken++;
    this.#byCaller.set(caller, own + 1);
    return () => this.#give(caller);
  }

  #give(caller: string): void {
    this.#taken--;
    const left = (this.#byCaller.get(caller) ?? 1) - 1;
    if (left === 0) this.#byCaller.delete(caller);
    else this.#byCaller.set(caller, left);
  }
}
