/** The calls that are worked on. Connections say nothing of them: a caller may go while a change is being made. */

/** Counts calls. */
export class CallsUnderWay {
  #calls = 0;
  #noneLeft: (() => void) | undefined;

  /** Counts a call until its work has ended. */
  add(work: Promise<void>): void {
    this.#calls++;
    void work.finally(() => {
      this.#calls--;
      if (this.#calls === 0) this.#noneLeft?.();
    });
  }

  /** Resolves when nothing is worked on. */
  async done(): Promise<void> {
    if (this.#calls === 0) return;
    await new Promise<void>((resolve) => {
      this.#noneLeft = resolve;
    });
  }
}
