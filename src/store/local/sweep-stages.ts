/** Removes what stages leave behind: everything of an abandoned one; of one in force, what it replaced and removed. */

import { putValue } from "./database.ts";
import {
  beforeKey,
  decodeRecord,
  logKey,
  type ReadRecord,
  recordKey,
  splitBeforeKey,
  stageKey,
  stageOfKey,
} from "./layout.ts";
import type { LocalDatabase } from "./local-database.ts";
import { replacedIn } from "./local-log.ts";
import { intact } from "./read-record.ts";
import { NO_VERSION, versionOfStage } from "./staged-records.ts";

/** Items that are removed in one transaction. */
const AT_ONCE = 500;

/** The parts that a sweep needs of its store. */
interface SweepParts {
  readonly database: LocalDatabase;
  /** Runs an action in a write transaction. */
  readonly transact: <T>(action: () => T) => Promise<T>;
  /** True once the store is closed: the rest is for the next process. */
  readonly isClosed: () => boolean;
}

/** Returns the number for a new stage, which nothing in the database names; only within a write transaction. */
export function nextStage(database: LocalDatabase): number {
  const range = { start: stageKey(Number.MAX_SAFE_INTEGER), end: stageKey(0), reverse: true, limit: 1 };
  for (const key of database.getKeys(range)) return stageOfKey(key) + 1;
  return 1;
}

/** Sweeps what the stages have left that are not open; there is none that is. Each transaction is small. */
export async function sweepStages(parts: SweepParts): Promise<void> {
  const { database } = parts;
  // The library goes on reading the state of its last read within a turn of the event loop.
  database.resetReadTxn();
  for (const number of abandonedStages(database)) await takeBack(parts, number);
  if (keysOf(database, BEFORE, 1).length > 0) await settle(parts);
}

const BEFORE = { start: beforeKey(0), end: beforeKey(Number.MAX_SAFE_INTEGER) };

function abandonedStages(database: LocalDatabase): readonly number[] {
  const range = { start: stageKey(0), end: stageKey(Number.MAX_SAFE_INTEGER) };
  const found = [...database.getRange(range)].map(({ key, value }) => [stageOfKey(key), value] as const);
  return found.filter(([, { version }]) => version === NO_VERSION).map(([number]) => number);
}

/** Makes records what they were before an abandoned stage, piece by piece, and removes all that is left of it. */
async function takeBack(parts: SweepParts, number: number): Promise<void> {
  const { database } = parts;
  await untilDone(parts, () => {
    const range = { start: logKey("staged-undo", number), end: logKey("staged-undo", number + 1), limit: 1 };
    const [piece] = [...database.getRange(range)].map(({ key, value }) => ({ key: Buffer.from(key), value }));
    if (piece === undefined) return true;
    for (const { partition, key, before } of replacedIn(intact(piece.value, piece.key).value)) {
      const name = recordKey(partition, key);
      database.removeSync(beforeKey(number, name));
      // Somebody else may have written it since.
      if (decoded(database, name)?.stage !== number) continue;
      if (before === undefined) database.removeSync(name);
      else putValue(database, name, { version: Number(before.version), value: before.value });
    }
    database.removeSync(piece.key);
    return false;
  });
  await untilDone(parts, () => {
    const range = { start: logKey("staged-part", number), end: logKey("staged-part", number + 1) };
    const keys = keysOf(database, range);
    for (const key of keys) database.removeSync(key);
    if (keys.length === AT_ONCE) return false;
    database.removeSync(stageKey(number));
    return true;
  });
}

/** Removes the records that stages in force have removed, and what these kept of the state before. */
async function settle(parts: SweepParts): Promise<void> {
  const { database } = parts;
  await untilDone(parts, () => {
    const keys = keysOf(database, BEFORE);
    for (const key of keys) {
      const { number, record } = splitBeforeKey(key);
      const found = decoded(database, record);
      const isGone = found?.stage === number && found.gone === true;
      if (isGone && versionOfStage(database, number, {}) !== undefined) database.removeSync(record);
      database.removeSync(key);
    }
    return keys.length < AT_ONCE;
  });
}

async function untilDone({ transact, isClosed }: SweepParts, step: () => boolean): Promise<void> {
  for (let isDone = false; !isDone && !isClosed(); ) isDone = await transact(step);
}

/** Some keys of a range; copied, since the library overwrites them when the next one is read. */
function keysOf(
  database: LocalDatabase,
  range: { readonly start: Buffer; readonly end: Buffer },
  limit = AT_ONCE,
): Buffer[] {
  return [...database.getKeys({ ...range, limit })].map((key) => Buffer.from(key));
}

function decoded(database: LocalDatabase, key: Buffer): ReadRecord | undefined {
  const bytes = database.getBinaryFast(key);
  return bytes === undefined ? undefined : decodeRecord(bytes);
}
