/** User and resources of a decision are of one state of the directory (spec/security §4.2). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";

/** Times that a question is begun anew because the directory changed while its resources were read. */
const MOST_ATTEMPTS = 10;

/**
 * The number of the next attempt.
 * @throws AuthorizerError "unavailable" after the last one
 */
export function nextAttempt(attempt: number): number {
  if (attempt + 1 < MOST_ATTEMPTS) return attempt + 1;
  throw new AuthorizerError(
    "unavailable",
    "the directory changes too often to read this resource; try again",
  );
}
