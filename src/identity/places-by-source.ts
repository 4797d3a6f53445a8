/** Places for work that waits for somebody else: bounded in all, and for each source, so that nobody takes them all. */

/** The numbers of places. */
interface PlaceLimits {
  readonly ofAll: number;
  readonly ofOne: number;
}

/** Places that are taken and given back. */
export class PlacesBySource {
  readonly #limits: PlaceLimits;
  readonly #taken = new Map<string, number>();
  #all = 0;

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
  }

  /** Runs work in a place of a source; `refused` makes the error where there is none. */
  async run<T>(source: string, work: () => Promise<T>, refused: () => Error): Promise<T> {
    const own = this.#taken.get(source) ?? 0;
    if (this.#all >= this.#limits.ofAll || own >= this.#limits.ofOne) throw refused();
    this.#taken.set(source, own + 1);
    this.#all++;
    try {
      return await work();
    } finally {
      this.#leave(source);
    }
  }

  #leave(source: string): void {
    this.#all--;
    const left = (this.#taken.get(source) ?? 1) - 1;
    if (left === 0) this.#taken.delete(source);
    else this.#taken.set(source, left);
  }
}
