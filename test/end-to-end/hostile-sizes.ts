/** Sizes of hostile cases. */

import { sized } from "../proofs/size.ts";

/** The size of a case: in tests that are not whole a small one, which still holds a service that does not slice; else the whole. */
export const sizedInTests = (small: number, whole: number): number =>
  process.env["VITEST"] === undefined ? whole : sized(small, whole);
