/** The revision that a reader of changes begins behind. */

import { AuthorizerError } from "../../errors.ts";
import type { ChangeLog } from "./ports.ts";

const POSITION = /^(\d{1,15})(?:\.([\w-]{8}))?$/;

/** A revision to go on from; "unknown": it is of another log or above the newest one. */
export type StartingPoint = number | "unknown" | undefined;

/**
 * Reads `N` or `N.log`; undefined where there is none.
 * @throws AuthorizerError "invalid_request" for another form
 */
export function startingPoint(text: string | undefined, log: ChangeLog): StartingPoint {
  if (text === undefined || text === "") return undefined;
  const [, number, logId = log.logId] = POSITION.exec(text) ?? [];
  if (number === undefined) throw new AuthorizerError("invalid_request", "after: expected N or N.log");
  return logId === log.logId && Number(number) <= log.newest ? Number(number) : "unknown";
}
