/** The newest known answer to a question that may take long: it is asked in the background. */

import { waitShortly } from "./short-wait.ts";

/** Asks one question again and again. */
export class KnownAnswer<T> {
  readonly #ask: () => Promise<T>;
  readonly #rememberedMs: number;
  readonly #onError: (error: unknown) => void;
  #known: T | undefined;
  #asked = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | undefined;

  /**
   * @param rememberedMs milliseconds after which it is asked again
   * @param onError is told why a question failed, which is asked again when somebody wants to know
   */
  constructor(ask: () => Promise<T>, rememberedMs: number, onError: (error: unknown) => void) {
    this.#ask = ask;
    this.#rememberedMs = rememberedMs;
    this.#onError = onError;
  }

  /** The newest answer; an earlier one where the next takes long, and undefined before the first and after a failure. */
  async get(): Promise<T | undefined> {
    if (this.#running === undefined && performance.now() - this.#asked >= this.#rememberedMs)
      this.#running = this.#find();
    if (this.#running !== undefined) await waitShortly(this.#running);
    return this.#known;
  }

  async #find(): Promise<void> {
    const asked = performance.now();
    try {
      this.#known = await this.#ask();
      this.#asked = asked;
    } catch (error) {
      this.#known = undefined;
      this.#onError(error);
    }
    this.#running = undefined;
  }
}
