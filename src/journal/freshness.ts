/** The age of a copy beyond which nothing is answered from it (journal.md §3.5). */

import { AuthorizerError } from "../errors.ts";

/** A poll that is later than this counts as one that failed, where nothing is tolerated. */
const LATE_MS = 1_000;

/**
 * Throws AuthorizerError "stale" where a copy must not be answered from.
 * @param pollMs milliseconds between two polls
 * @param maxStalenessMs 0: from the first poll on that failed or came over a second late
 */
export function assertFresh(
  ageMs: number,
  hasContact: boolean,
  pollMs: number,
  maxStalenessMs: number,
): void {
  const isFresh = maxStalenessMs > 0 ? ageMs <= maxStalenessMs : hasContact && ageMs <= pollMs + LATE_MS;
  if (isFresh) return;
  throw new AuthorizerError("stale", "This node has had no contact to its database for too long to answer.", {
    retryAfterSeconds: 1,
  });
}
