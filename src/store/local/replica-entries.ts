/** The newest entries as a copy of a log keeps them: their ids, and for its workers what each of them touched. */

import type { CommittedChange } from "../port.ts";
import { logKey } from "./layout.ts";
import type { LocalDatabase } from "./local-database.ts";
import { intact, type ReadOptions, recordAt } from "./read-record.ts";

/** The text that is kept of an entry: its id and, on a second line, the rest. */
export function entryNote({ id, revision: _, ...rest }: CommittedChange): string {
  return `${id}\n${JSON.stringify(rest)}`;
}

/** The id in a note; ids that came with a checkpoint are a note alone. */
export function idOfNote(note: string): string {
  const end = note.indexOf("\n");
  return end < 0 ? note : note.slice(0, end);
}

/** Entries after a revision, at most `limit`; undefined where not all of them are noted with what they touched. */
export function readNotes(
  database: LocalDatabase,
  after: number,
  limit: number,
  options: ReadOptions,
): readonly CommittedChange[] | undefined {
  const range = { start: logKey("entry", after + 1), end: logKey("entry", Number.MAX_SAFE_INTEGER), limit };
  const found: CommittedChange[] = [];
  for (const { key, value } of database.getRange({ ...range, ...options })) {
    const { version, value: note } = intact(value, key);
    const revision = Number(version);
    const id = idOfNote(note);
    if (id.length === note.length || revision !== after + found.length + 1) return undefined;
    const rest = JSON.parse(note.slice(id.length + 1)) as Omit<CommittedChange, "id" | "revision">;
    found.push({ revision, id, ...rest });
  }
  return found.length === 0 ? undefined : found;
}

/** The id of an entry; "" for revision 0, undefined where it is not noted. */
export function readNotedId(database: LocalDatabase, revision: number): string | undefined {
  if (revision === 0) return "";
  const transaction = database.useReadTransaction();
  try {
    const record = recordAt(database, logKey("entry", revision), { transaction });
    return record && idOfNote(record.value);
  } finally {
    transaction.done();
  }
}
