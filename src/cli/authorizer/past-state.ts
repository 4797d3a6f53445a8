/** Reads `--at` of a command line. */

import type { DirectoryHistory } from "../../directory/history.ts";
import { AuthorizerError } from "../../errors.ts";

const REVISION = /^\d{1,15}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;

/**
 * Returns the revision that `--at` names.
 * @throws AuthorizerError "invalid_request" for a text that is neither a revision nor a time, "not_found" for a time
 * whose state is not kept
 */
export async function revisionOf(at: string, history: DirectoryHistory): Promise<number> {
  if (REVISION.test(at)) return Number(at);
  if (TIME.test(at) && !Number.isNaN(Date.parse(at))) return history.revisionAt(new Date(at));
  const message = `--at ${at}: expected a revision such as 1200, or a time such as 2026-11-22T08:00:00Z`;
  throw new AuthorizerError("invalid_request", message);
}
