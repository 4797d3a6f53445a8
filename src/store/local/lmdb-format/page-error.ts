/** Faults of LMDB's data file, which name the page. */

/** The fault of a page. */
export function pageError(number: number, what: string): Error {
  return new Error(`page ${number} ${what}`);
}
