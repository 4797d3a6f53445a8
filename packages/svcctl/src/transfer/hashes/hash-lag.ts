/** Tells how far the computation of a checksum is behind the content that is there. */

/** The lag of one file. */
export class HashLag {
  #reached: number;
  #computed: number;
  #wait: { readonly most: number; readonly over: Promise<void>; readonly end: () => void } | undefined;
  #isOver = false;

  /** @param start position of the first byte */
  constructor(start: number) {
    this.#reached = start;
    this.#computed = start;
  }

  /** The bytes below a position are there. */
  reached(position: number): void {
    this.#reached = position;
  }

  /** The bytes below a position are computed. */
  computed(position: number): void {
    this.#computed = position;
    if (this.#wait !== undefined && this.#reached - position <= this.#wait.most) this.#endWait();
  }

  /** Resolves when the lag is no more bytes than that; undefined where it is so already. */
  atMost(bytes: number): Promise<void> | undefined {
    if (this.#isOver || this.#reached - this.#computed <= bytes) return undefined;
    if (this.#wait === undefined) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wait = { most: bytes, over: promise, end: resolve };
    }
    return this.#wait.over;
  }

  /** Nothing is computed any more: nobody has to wait. */
  end(): void {
    this.#isOver = true;
    this.#endWait();
  }

  #endWait(): void {
    this.#wait?.end();
    this.#wait = undefined;
  }
}
