/** Finds the revision that was in force at a time. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { Store } from "../../store/port.ts";

/**
 * Returns the revision of the last entry that is not later than a time: times of entries never go back.
 * @throws AuthorizerError "not_found" for a time before everything that is kept
 */
export async function entryAtTime(store: Store, time: Date): Promise<number> {
  const { history } = store;
  const keptFrom = await history.keptFrom();
  // Everything up to `low` is not later, everything from `high` on is.
  let [low, high] = [keptFrom, history.head.revision + 1];
  while (low + 1 < high) {
    const middle = (low + high) >>> 1;
    const [entry] = (await store.changes(middle - 1, 1)) ?? [];
    if (entry === undefined) throw notKept(time);
    if (Date.parse(entry.at) <= time.getTime()) low = middle;
    else high = middle;
  }
  if (low > keptFrom) return low;
  // Of the oldest state itself only an entry that is still there says since when it was in force.
  const [oldest] = (keptFrom > 0 && (await store.changes(keptFrom - 1, 1))) || [];
  if (oldest === undefined || Date.parse(oldest.at) > time.getTime()) throw notKept(time);
  return keptFrom;
}

function notKept(time: Date): AuthorizerError {
  const message = `The state of ${time.toISOString()} is not kept: it is older than the log.`;
  return new AuthorizerError("not_found", message);
}
