/** The entry that a reader of changes begins behind (spec/journal §6). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { parsePosition, shortId } from "@svc-authorizer/policy/model/position.ts";
import type { ChangeLog, EntryName } from "./ports.ts";

/** An entry to go on from; "unknown": it is not in the log, too old, or not named by its id. */
export type StartingPoint = EntryName | "unknown" | undefined;

/** The beginning of each log: no entry has to be named for it. */
const BEGINNING: EntryName = { revision: 0, id: "" };

/** The texts in which a reader names where it begins. */
export interface NamedStart {
  /** `N`, `N.LOG` or `N.LOG.ENTRY`, the id of an event. */
  readonly lastEvent?: string | undefined;
  /** `N.LOG.ENTRY`. */
  readonly position?: string | undefined;
  /** `N` or `N.LOG`, of readers that know no entries. */
  readonly after?: string | undefined;
}

/**
 * Reads where a reader begins; undefined where it names nothing.
 * @throws AuthorizerError "invalid_request" for another form
 */
export async function startingPoint(named: NamedStart, log: ChangeLog): Promise<StartingPoint> {
  const [name, text] = firstOf(named);
  if (text === undefined) return undefined;
  const parsed = parsePosition(text);
  if (parsed === undefined) {
    // What a node without a log said, before nodes were kept from saying it.
    if (/^\d{1,15}\.$/.test(text)) return "unknown";
    const form = name === "position" ? "N.LOG.ENTRY" : "N, N.LOG or N.LOG.ENTRY";
    throw new AuthorizerError("invalid_request", `${name}: expected ${form}`);
  }
  const { revision, log: logId = log.logId, entry } = parsed;
  if (logId !== log.logId) return "unknown";
  if (revision === 0) return BEGINNING;
  if (entry === undefined) return "unknown";
  const id = await log.idOf(revision);
  return id !== undefined && shortId(id) === entry ? { revision, id } : "unknown";
}

/** The first that is given, with its name; an empty text is none. */
function firstOf({
  lastEvent,
  position,
  after,
}: NamedStart): readonly [name: string, text: string | undefined] {
  if (lastEvent) return ["Last-Event-ID", lastEvent];
  if (position) return ["position", position];
  return ["after", after || undefined];
}
