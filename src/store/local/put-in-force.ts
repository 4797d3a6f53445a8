/** Makes everything that a stage has written one entry of the log: a few items, whatever its size. */

import type { EntryName } from "../replica.ts";
import { putValue } from "./database.ts";
import { stageKey } from "./layout.ts";
import type { LocalDatabase } from "./local-database.ts";
import {
  appendEntry,
  EMPTY_LOG,
  type LogPosition,
  nextName,
  putUndoOfStage,
  readPosition,
  trimEntries,
} from "./local-log.ts";
import type { EndedStage } from "./local-stage.ts";

/** Puts a stage in force; only within a write transaction. Returns the name of its entry, and where the log stands. */
export function putInForce(
  database: LocalDatabase,
  { number, useCases, end }: EndedStage,
  { node, keepMs }: { readonly node: string; readonly keepMs: number },
): { readonly name: EntryName; readonly position: LogPosition } {
  const before = readPosition(database) ?? EMPTY_LOG;
  const now = Date.now();
  const name = nextName(before, { node, now });
  const { parts, digest } = end();
  putValue(database, stageKey(number), { version: name.revision, value: "" });
  putUndoOfStage(database, name.revision, number);
  const body = { digest, stage: number };
  const after = appendEntry(database, before, name, { body, useCases }, parts);
  return { name, position: trimEntries(database, after, now - keepMs) };
}
