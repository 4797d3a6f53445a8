/** Bodies that come in pieces of a few bytes, over all connections of a server. */

/** Bytes of a piece that counts. */
const FEW_BYTES = 16;
/** Such pieces that are handled in one turn of the event loop before other connections wait: some milliseconds. */
const MOST_IN_A_TURN = 4096;

/**
 * Counts small pieces. The parser takes all that one read of a connection brings, which may be ten thousand pieces; what can be
 * done is not to read the other connections in the same turn.
 */
export class SmallPieces {
  readonly #pause: () => () => void;
  #inTurn = 0;

  /** @param pause pauses the connections that may be paused, and returns what lets them go on */
  constructor(pause: () => () => void) {
    this.#pause = pause;
  }

  /** Notes a piece of a body, by its bytes. */
  note(bytes: number): void {
    if (bytes >= FEW_BYTES) return;
    if (this.#inTurn++ === 0)
      setImmediate(() => {
        this.#inTurn = 0;
      });
    if (this.#inTurn === MOST_IN_A_TURN) setImmediate(this.#pause());
  }
}
