/** The age of a copy beyond which nothing is answered from it (spec/journal §3.5). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { type StoreTrouble, troubleInWords } from "../store/trouble.ts";

/** A poll that is later than this counts as one that failed, where nothing is tolerated. */
const LATE_MS = 1_000;

/**
 * Throws AuthorizerError "stale" where a copy must not be answered from.
 * @param pollMs milliseconds between two polls
 * @param trouble what is wrong, for the error
 * @param maxStalenessMs 0: from the first poll on that failed or came over a second late
 */
export function assertFresh(
  ageMs: number,
  hasContact: boolean,
  pollMs: number,
  maxStalenessMs: number,
  trouble: () => StoreTrouble | undefined,
): void {
  const isFresh = maxStalenessMs > 0 ? ageMs <= maxStalenessMs : hasContact && ageMs <= pollMs + LATE_MS;
  if (isFresh) return;
  const known = trouble();
  const reason = known === undefined ? "" : ` ${troubleInWords(known, Date.now())}`;
  const message = `This node has had no contact to its database for too long to answer.${reason}`;
  throw new AuthorizerError("stale", message, { retryAfterSeconds: 1 });
}
