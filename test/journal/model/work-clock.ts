/**
 * The clock by which long work in turns gives way to others: not the time that it takes, so that a run can be repeated. The
 * database of a run notes what is true of it at once.
 */

/** Milliseconds that pass with each look: none, so that no work gives way. */
const LOOK_MS = 0;

let now = 0;
let notes = 0;

/** Takes the place of the clock of this process. */
export function replaceClock(): void {
  performance.now = () => {
    if (notes > 0) return Number.NEGATIVE_INFINITY;
    now += LOOK_MS;
    return now;
  };
}

/** Does what must not give way, however long it is. */
export async function atOnce<T>(work: () => Promise<T>): Promise<T> {
  notes++;
  try {
    return await work();
  } finally {
    notes--;
  }
}
