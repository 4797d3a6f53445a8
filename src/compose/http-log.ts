/** What the listeners log, and where. */

import type { HttpLog } from "../http/ports.ts";
import type { AuditLog } from "../observe/audit-log.ts";
import type { Logger } from "../observe/logger.ts";

/** The listeners' log: requests at DEBUG, failures at ERROR, refused callers in the audit log. */
export function httpLog(logger: Logger, audit: AuditLog): HttpLog {
  return {
    requests: logger.enabled("DEBUG"),
    request: (entry) => logger.debug("request", () => ({ ...entry })),
    failure: (entry) => logger.error("request failed", { ...entry }),
    // `message` is the log's own word.
    refused: ({ message, ...entry }) => audit.event("authentication_failed", { ...entry, reason: message }),
  };
}
