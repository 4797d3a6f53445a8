/** Places that are taken until a time: bounded in all, and for each source. */

interface PlaceLimits {
  readonly ofAll: number;
  readonly ofOne: number;
}

interface Place {
  readonly source: string;
  /** Unix milliseconds. */
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
   * @param until Unix milliseconds
   * @returns false where there is none
   */
  take(source: string, until: number): boolean {
    const now = Date.now();
    const live = this.#taken.filter((place) => place.until > now);
    const isFull =
      live.length >= this.#limits.ofAll ||
      live.filter((place) => place.source === source).length >= this.#limits.ofOne;
    this.#taken = isFull ? live : [...live, { source, until }];
    return !isFull;
  }
}
