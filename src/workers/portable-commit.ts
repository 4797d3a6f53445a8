/** A commit as it goes from a worker to the primary. */

import type { Commit, ReadSet } from "../store/port.ts";

/** Returns the commit without anything that cannot be cloned or that the other side does not need. */
export function portableCommit({ reads, ...commit }: Commit): Commit {
  return reads === undefined ? commit : { ...commit, reads: portableReads(reads) };
}

function portableReads({ revision, base, keys, ranges }: ReadSet): ReadSet {
  const names = Array.from(keys, ([partition, read]) => [partition, new Set(read.keys())] as const);
  return { revision, base, keys: new Map(names), ranges };
}
