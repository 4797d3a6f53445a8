/** Turns of the event loop, for tests of what happens in one of them. */

/** Counts them until it is stopped. */
export class EventLoopTurns {
  #turn = 0;
  #next = setImmediate(() => this.#count());

  /** The number of the present one. */
  get turn(): number {
    return this.#turn;
  }

  stop(): void {
    clearImmediate(this.#next);
  }

  #count(): void {
    this.#turn++;
    this.#next = setImmediate(() => this.#count());
  }
}

/** Does nothing for longer than long work has of one turn, or for a part of that. */
export function takeATurn(part = 1): void {
  for (const end = performance.now() + 6 * part; performance.now() < end; );
}
