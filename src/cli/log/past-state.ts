/** Reads `--at` of a command line. */

import { parseTime, TIME_FORMS } from "@svc-authorizer/commands/times.ts";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { DirectoryHistory } from "../../directory/history.ts";

const REVISION = /^\d{1,15}$/;

/**
 * Returns the revision that `--at` names.
 * @throws AuthorizerError "invalid_request" for a text that is neither a revision nor a time, "not_found" for a time
 * whose state is not kept
 */
export async function revisionOf(at: string, history: DirectoryHistory): Promise<number> {
  if (REVISION.test(at)) return Number(at);
  const time = parseTime(at, Date.now());
  if (time !== undefined) return history.revisionAt(time);
  const message = `--at ${at}: expected a revision such as 1200, ${TIME_FORMS}`;
  throw new AuthorizerError("invalid_request", message);
}
