/** The records that an index knows to be lost. */

import type { DatabaseSync } from "node:sqlite";
import { timeClauses, whereOf } from "./query-clauses.ts";
import type { RecordFilter } from "./record-filter.ts";

/** Returns the number of decisions without a readable record whose loss was noted in a time. Throws the error of SQLite. */
export function lostRecords(database: DatabaseSync, time: Pick<RecordFilter, "since" | "until">): number {
  const { where, values } = timeClauses(time, "at");
  const sql = `SELECT coalesce(sum(lost), 0) AS lost FROM losses ${whereOf(where)}`;
  return (database.prepare(sql).get(...values) as { lost: number }).lost;
}
