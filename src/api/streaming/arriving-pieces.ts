/**
 * The body of a request as it arrives: what came in one turn of the event loop together. A promise and a write for each
 * read of a connection take a tenth of an upload's processor time.
 */

import { finished, type Readable } from "node:stream";

/** Bytes that are passed on within a turn, and after which a body is paused whose reader is busy. */
export const MOST_GATHERED = 512 << 10;

/**
 * Reads a body to its end. Whoever leaves before finds the rest of it paused, and its connection open.
 * @throws the body's error, and one for a body that ends before its length
 */
export async function* arrivingPieces(body: Readable): AsyncGenerator<readonly Buffer[]> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  let isOver = false;
  let failure: unknown;
  /** Ends the wait of the reader; undefined while it is busy, and once it has been woken. */
  let wake: (() => void) | undefined;
  const goOn = (): void => {
    wake?.();
    wake = undefined;
  };
  const onPiece = (piece: Buffer): void => {
    if (pieces.push(piece) === 1) setImmediate(goOn);
    bytes += piece.length;
    if (bytes < MOST_GATHERED) return;
    if (wake === undefined) body.pause();
    else goOn();
  };
  const forget = finished(body, { writable: false }, (error) => {
    isOver = true;
    failure = error;
    goOn();
  });
  body.on("data", onPiece);
  try {
    for (;;) {
      while (pieces.length === 0 && !isOver) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (failure != null) throw failure;
      if (pieces.length === 0 && isOver) return;
      const arrived = pieces;
      pieces = [];
      bytes = 0;
      if (body.isPaused()) body.resume();
      yield arrived;
    }
  } finally {
    forget();
    body.off("data", onPiece);
    body.pause();
  }
}
