/**
 * Guards (spec/journal §3): an item with which a node that has a copy says, in a database that was emptied or has another
 * log, that the log of its copy is missing there. No log is begun beside one.
 */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { Engine, ItemName } from "./engine.ts";

const PREFIX = "guard/";
/** Guards that are read at most: one for each log. */
const MOST_GUARDS = 1_000;

/** Outside the log, among what nodes tell each other: no table is needed that may be missing. */
function guardOf(log: string): ItemName {
  return { kind: "usage", number: 0, name: `${PREFIX}${log}` };
}

/** Says in a database that a log is missing there. */
export async function putGuard(engine: Engine, log: string): Promise<void> {
  await engine.create(guardOf(log), Buffer.from(JSON.stringify({ log, at: new Date().toISOString() })));
}

/** Takes it back. */
export async function removeGuard(engine: Engine, log: string): Promise<void> {
  await engine.remove([guardOf(log)]);
}

/** Ids of the logs that nodes have copies of and miss in a database. */
export async function guardedLogs(engine: Engine): Promise<readonly string[]> {
  const items = await engine.list("usage", 0, MOST_GUARDS);
  return items.flatMap(({ name }) => (name.startsWith(PREFIX) ? [name.slice(PREFIX.length)] : []));
}

/** True if nodes have copies of another log than this one, and miss it. Rejects with the error of the engine. */
export async function isContested(engine: Engine, log: string): Promise<boolean> {
  return (await guardedLogs(engine)).some((one) => one !== log);
}

/** Says that nodes with a copy of one log may go over to the log of this database. */
export async function acceptLog(engine: Engine, from: string, to: string): Promise<void> {
  await engine.create(acceptanceOf(from, to), Buffer.from(JSON.stringify({ at: new Date().toISOString() })));
  await removeGuard(engine, from);
}

/** True where a command said so. */
export async function isAccepted(engine: Engine, from: string, to: string): Promise<boolean> {
  return (await engine.read(acceptanceOf(from, to))) !== undefined;
}

function acceptanceOf(from: string, to: string): ItemName {
  return { kind: "usage", number: 0, name: `accept/${from}/${to}` };
}

/** The right to begin a log. */
export interface LogCreation {
  /** `authorizer.replication.create_log`. */
  readonly isAllowed: boolean;
  /** Milliseconds for which the nodes that have a copy are given time to say so. */
  readonly waitMs: number;
}

/**
 * Throws AuthorizerError "unavailable" where no log may be begun.
 * @param delay waits for some milliseconds
 */
export async function assertMayBegin(
  engine: Engine,
  { isAllowed, waitMs }: LogCreation,
  delay: (ms: number) => Promise<void>,
): Promise<void> {
  if (!isAllowed) {
    throw new AuthorizerError(
      "unavailable",
      "The database has no log, and authorizer.replication.create_log is false: it may have been emptied, or another one is in its place. For a first start set it to true.",
    );
  }
  await assertUnguarded(engine);
  if (waitMs === 0) return;
  await delay(waitMs);
  await assertUnguarded(engine);
}

async function assertUnguarded(engine: Engine): Promise<void> {
  const [log] = await guardedLogs(engine);
  if (log === undefined) return;
  throw new AuthorizerError(
    "unavailable",
    `The database has no log, and nodes have copies of log ${log.slice(0, 8)}, which is missing in it: no new one is begun. Put back a backup, or copy the log back with svc-authorizer journal copy --from-copy.`,
  );
}
