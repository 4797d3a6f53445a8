/** The log of the local store asked about one key. Long entries are looked through part by part, in turns. */

import { Turns } from "../../schedule/turns.ts";
import { findLine, findWrite } from "../entry-lines.ts";
import { decodeHead } from "../log-entry.ts";
import type { Replaced } from "../past-snapshot.ts";
import type { KeyWrite, RecordName } from "../port.ts";
import { logKey } from "./layout.ts";
import type { LocalDatabase } from "./local-database.ts";
import { EMPTY_LOG, readItem, readPosition, stageOfUndo, toReplaced } from "./local-log.ts";
import { intact, type ReadOptions } from "./read-record.ts";

/** Returns what an entry wrote under a key; undefined where it is not kept, or wrote nothing there. */
export async function readWriteOf(
  database: LocalDatabase,
  revision: number,
  name: RecordName,
  options: ReadOptions,
): Promise<KeyWrite | undefined> {
  const { floor } = readPosition(database, options) ?? EMPTY_LOG;
  const item = revision <= floor ? undefined : readItem(database, revision, options);
  if (item === undefined) return undefined;
  const { parts } = decodeHead(item);
  if (parts === undefined) return findWrite(item.toString("utf8", item.indexOf(10) + 1), name);
  // Each part ends with a line.
  const turns = new Turns();
  const [kind, number] =
    parts.stage === undefined ? (["part", revision] as const) : (["staged-part", parts.stage] as const);
  const range = { start: logKey(kind, number), end: logKey(kind, number + 1), ...options };
  for (const { key, value } of database.getRange(range)) {
    const found = findWrite(intact(value, key).value, name);
    if (found !== undefined) return found;
    if (turns.spent) await turns.yield();
  }
  return undefined;
}

/** Returns what the first entry in a range of revisions that wrote under a key replaced there. */
export async function readReplacedOf(
  database: LocalDatabase,
  { after, upTo }: { readonly after: number; readonly upTo: number },
  name: RecordName,
  options: ReadOptions,
): Promise<Replaced | undefined> {
  const turns = new Turns();
  for (const text of undoTexts(database, "undo", { from: after + 1, to: upTo + 1 }, options)) {
    const line = findLine(text, name);
    if (line !== undefined) return toReplaced(line);
    if (turns.spent) await turns.yield();
  }
  return undefined;
}

/** Texts of what entries or stages replaced, from the oldest on. */
function* undoTexts(
  database: LocalDatabase,
  kind: "undo" | "staged-undo",
  { from, to }: { readonly from: number; readonly to: number },
  options: ReadOptions,
): Generator<string> {
  const range = { start: logKey(kind, from), end: logKey(kind, to), ...options };
  for (const { key, value } of database.getRange(range)) {
    const text = intact(value, key).value;
    const stage = stageOfUndo(text);
    if (stage === undefined) yield text;
    else yield* undoTexts(database, "staged-undo", { from: stage, to: stage + 1 }, options);
  }
}
