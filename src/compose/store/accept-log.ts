/** The command that lets nodes go over to another log (spec/journal §3). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { ConfigValues } from "../../config/table.ts";
import { acceptLog, guardedLogs } from "../../journal/guard.ts";
import { findLog } from "../../journal/place-in-log.ts";
import { openLog } from "../data.ts";
import { openEngine } from "./backends.ts";

/** Logs by the first 8 characters of their ids. */
interface AcceptReport {
  /** The log in the database. */
  readonly log: string;
  /** Logs that nodes have copies of and miss. */
  readonly missing: readonly string[];
  readonly accepted: boolean;
}

/**
 * Says in the configured database that nodes may go over to its log.
 * @param isMeant false: nothing is written
 * @throws AuthorizerError "invalid_request" for a store of one process, or a database without a log
 */
export async function acceptOtherLog(values: ConfigValues, isMeant: boolean): Promise<AcceptReport> {
  const logger = openLog({ ...values, "logging.output": ["="], "logging.level": "WARN" });
  try {
    const engine = await openEngine(values, logger);
    if (engine === undefined) {
      const message = `database.type ${values["database.type"]} is a store of one process: no nodes share it`;
      throw new AuthorizerError("invalid_request", message);
    }
    try {
      const log = await findLog(engine);
      if (log === undefined) {
        throw new AuthorizerError("invalid_request", "the database has no log that nodes could go over to");
      }
      const missing = (await guardedLogs(engine)).filter((one) => one !== log);
      if (isMeant) for (const one of missing) await acceptLog(engine, one, log);
      return { log: nameOf(log), missing: missing.map(nameOf), accepted: isMeant && missing.length > 0 };
    } finally {
      await engine.close();
    }
  } finally {
    await logger.close();
  }
}

function nameOf(log: string): string {
  return log.slice(0, 8);
}
