/**
 * The beginning of the long work in a turn of the event loop. It is one moment for all of it: else many pieces that are each
 * shorter than a turn, of one caller or of many who ask at once, would hold the loop for the sum of them (spec/security §5.3).
 */

let began: number | undefined;

/** Begins a turn now (milliseconds of `performance.now()`), which ends with the event loop's own. */
export function beginTurn(): number {
  const now = performance.now();
  began = now;
  setImmediate(() => {
    if (began === now) began = undefined;
  });
  return now;
}

/** The moment at which long work of this turn began (milliseconds of `performance.now()`): now, if this is the first. */
export function turnBegan(): number {
  return began ?? beginTurn();
}
