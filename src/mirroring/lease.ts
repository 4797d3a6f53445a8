/** The lease of one mirror: one node acts for it. */

import type { Expectation } from "../store/expectation.ts";
import type { Store } from "../store/port.ts";

/** The work was taken over by another process: nothing may be done any more. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}

/**
 * Takes the lease of a mirror, or shows that this process has it. Returns what commits under it expect beside the state of
 * the mirror; undefined while another process has it.
 */
export async function holdLease(store: Store, uid: string): Promise<readonly Expectation[] | undefined> {
  // Of a store of one process the state of the mirror alone is expected: another process of it cannot be.
  if (store.lease === undefined) return [];
  const held = await store.lease(`mirror/${uid}`);
  return held === undefined ? undefined : [held];
}
