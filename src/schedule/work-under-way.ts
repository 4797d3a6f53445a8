/** Work that goes on though nobody may wait for it any more, such as that for a caller who has gone: an end waits for it. */

/** Counts pieces of work. */
export class WorkUnderWay {
  #pieces = 0;
  #noneLeft: (() => void) | undefined;

  /** Counts a piece of work until it has ended, be it with an error, which whoever began it hears of. */
  add(work: Promise<void>): void {
    this.#pieces++;
    const ended = (): void => {
      this.#pieces--;
      if (this.#pieces === 0) this.#noneLeft?.();
    };
    work.then(ended, ended);
  }

  /** Resolves when there is none, or after some milliseconds; the last call counts. */
  async done(withinMs: number): Promise<void> {
    if (this.#pieces === 0) return;
    await new Promise<void>((resolve) => {
      const late = setTimeout(resolve, withinMs);
      this.#noneLeft = () => {
        clearTimeout(late);
        resolve();
      };
    });
  }
}
