/**
 * Bounds the memory of pieces that were read and written. Each is 64 KiB outside of the heap, of which the collector sees a
 * hundred bytes: left alone, it comes when thousands of them wait.
 */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Bytes of pieces that may wait: their collection takes a millisecond or two. */
const MOST_WAITING = 16 * 1024 * 1024;

type Collect = (options: { readonly type: "minor" }) => void;

let collect: Collect | undefined;
let waiting = 0;

/** Notes that a piece is of no use any more. */
export function spent(bytes: number): void {
  waiting += bytes;
  if (waiting < MOST_WAITING) return;
  waiting = 0;
  collect ??= collector();
  collect({ type: "minor" });
}

/** Gives the collector of short-lived objects, which a program is only given where it asks for it. */
function collector(): Collect {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as Collect;
}
