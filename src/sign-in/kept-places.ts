/** Places that are taken until a time, or until they are given back: bounded in all, and for each source. */

interface PlaceLimits {
  readonly ofAll: number;
  readonly ofOne: number;
}

interface Place {
  /** Of whatever takes it. */
  readonly id: string;
  readonly source: string;
  /** Milliseconds of `performance.now()`: a clock that is set back must not hold places. */
  readonly until: number;
}

/** The places. */
export class KeptPlaces {
  readonly #limits: PlaceLimits;
  #taken: readonly Place[] = [];

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
  }

  /**
   * Takes a place.
   * @returns false where there is none
   */
  take(place: Place): boolean {
    const now = performance.now();
    const live = this.#taken.filter(({ until }) => until > now);
    const isFull =
      live.length >= this.#limits.ofAll ||
      live.filter(({ source }) => source === place.source).length >= this.#limits.ofOne;
    this.#taken = isFull ? live : [...live, place];
    return !isFull;
  }

  /** The ids of those who hold the places that a source lacks: its own where it has all of its, else everybody's. */
  holders(source: string): readonly string[] {
    const own = this.#taken.filter((place) => place.source === source);
    return (own.length >= this.#limits.ofOne ? own : this.#taken).map(({ id }) => id);
  }

  /** Gives a place back; nothing where this process has none of the id. */
  leave(id: string): void {
    this.#taken = this.#taken.filter((place) => place.id !== id);
  }
}
