/** What a data server asks when it starts (authorization-api.md §7, operations 36 and 37). */

import { json, NO_CONTENT } from "../rest/operation.ts";
import { type Operation, readOperation } from "./operation.ts";

/**
 * The operations. The health check is open and answers 204 and nothing else; the version needs the token, so that a
 * wrong one is found when a data server starts.
 */
export function serverCheckOperations(version: string): readonly Operation[] {
  const answer = json(200, { version });
  const { scope: _open, ...healthCheck } = readOperation(
    "healthCheck",
    "/healthcheck",
    () => NO_CONTENT,
    true,
  );
  return [healthCheck, readOperation("getVersion", "/config/version", () => answer, true)];
}
