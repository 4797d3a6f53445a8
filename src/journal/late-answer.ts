/** The answer to callers whose entry's outcome is not known in time (spec/journal §2.5). */

import type { Clock } from "./clock.ts";

/** Gives an answer once its time has come, also while a call to the engine hangs. */
export class LateAnswer {
  readonly #clock: Clock;
  readonly #end: number;
  readonly #answer: (isFirst: boolean) => void;
  #stop: (() => void) | undefined;
  #given = false;

  /**
   * @param end clock time from which on it is given
   * @param answer called with true once, and with false each time that it is due again
   */
  constructor(clock: Clock, end: number, answer: (isFirst: boolean) => void) {
    this.#clock = clock;
    this.#end = end;
    this.#answer = answer;
    this.#arm();
  }

  /** A timer may end a little before its time by this clock: then another one covers the rest. */
  #arm(): void {
    const left = Math.max(0, this.#end - this.#clock.now()) + 1;
    this.#stop = this.#clock.alarm?.(left, () => {
      if (this.#clock.now() < this.#end) this.#arm();
      else this.giveIfDue();
    });
  }

  /** True when callers were told that the outcome is unknown. */
  get given(): boolean {
    return this.#given;
  }

  /** Gives it if its time has come. */
  giveIfDue(): void {
    if (this.#clock.now() < this.#end) return;
    const isFirst = !this.#given;
    this.#given = true;
    this.#answer(isFirst);
  }

  /** Gives it no more by itself. */
  stop(): void {
    this.#stop?.();
  }
}
