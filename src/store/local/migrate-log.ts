/**
 * From format 2 to 3: the log begins. The state that is found is revision 1, written by an entry that stands for all of
 * it; what led to it is not known any more.
 */

import type { Migration } from "../format.ts";
import { digestOf, type EncodedBody, newId } from "../log-entry.ts";
import { putValue } from "./database.ts";
import { CHANGES_OF_FORMAT_2 } from "./layout.ts";
import type { LocalDatabase } from "./local-database.ts";
import { appendEntry, EMPTY_LOG, putPosition } from "./local-log.ts";

/** Begins the log. */
export const BEGIN_LOG: Migration<LocalDatabase> = {
  from: 2,
  what: "the log begins: the state becomes its first entry",
  run: beginLog,
};

const PAGE = 1_000;

function beginLog(database: LocalDatabase): void {
  const changes = [...database.getKeys(CHANGES_OF_FORMAT_2)].map((key) => Buffer.from(key));
  for (const key of changes) database.removeSync(key);
  if (!renumber(database)) {
    putPosition(database, EMPTY_LOG);
    return;
  }
  const useCases = [{ touched: { all: true } }];
  const bytes = Buffer.from(`${JSON.stringify({ change: { all: true }, useCases })}\n`);
  const body: EncodedBody = { bytes, digest: digestOf(bytes) };
  const name = { revision: 1, id: newId(), at: new Date().toISOString(), node: newId() };
  const position = appendEntry(database, EMPTY_LOG, name, { body, useCases });
  putPosition(database, { ...position, floor: 1 });
}

/** Gives every record version 1, the revision of the entry that wrote it from now on; false where there is none. */
function renumber(database: LocalDatabase): boolean {
  let after = Buffer.from([1]);
  let found = false;
  for (;;) {
    const page = [...database.getRange({ start: after, exclusiveStart: true, limit: PAGE })].map(
      ({ key, value }) => ({ key: Buffer.from(key), value: value.value }),
    );
    for (const { key, value } of page) putValue(database, key, { version: 1, value });
    const last = page.at(-1);
    if (last === undefined) return found;
    found = true;
    after = last.key;
  }
}
