/** Reads records from the index of a node, beside the thread that answers questions. */

import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import type { LoggedDecision } from "@svc-authorizer/policy/records/record.ts";
import { lostRecords } from "./lost-records.ts";
import { openSqlite } from "./open-sqlite.ts";

/** The records that are read: of allowed decisions, about one of the subjects or decided by one of the policies. */
interface AllowedRecords {
  readonly subjects: readonly string[];
  readonly policies: readonly string[];
  /** Unix milliseconds, inclusive. */
  readonly since: number;
  /** Unix milliseconds, exclusive. */
  readonly until: number;
}

/** An index that is read. */
export interface IndexReader {
  /** Yields each record once. Throws the error of SQLite. */
  allowed(asked: AllowedRecords): Generator<LoggedDecision>;
  /** Time of the oldest record, RFC 3339; undefined if there is none. */
  oldest(): string | undefined;
  /** Number of records of a time that are lost, whatever they were about (Unix milliseconds, as of {@link AllowedRecords}). */
  lost(since: number, until: number): number;
  close(): void;
}

/** Opens an index. Throws the error of SQLite. */
export function openIndexReader(path: string): IndexReader {
  const database = openSqlite(path);
  return {
    *allowed({ subjects, policies, since, until }) {
      const times = [new Date(since).toISOString(), new Date(until).toISOString()];
      const columns = [
        ...subjects.map((name) => ["subject", name]),
        ...policies.map((name) => ["policy", name]),
      ];
      const seen = new Set<number>();
      for (const [column, name = ""] of columns) {
        const sql = `SELECT r.n AS n, r.text AS text FROM records r
          WHERE r.n IN (SELECT d.n FROM decisions d WHERE d.${column} = ? AND d.effect = 'allow')
          AND r.at >= ? AND r.at < ? ORDER BY r.n`;
        for (const row of database.prepare(sql).iterate(name, ...times)) {
          const { n, text } = row as { n: number; text: string };
          if (seen.has(n)) continue;
          seen.add(n);
          yield parseJsonText(text) as LoggedDecision;
        }
      }
    },
    oldest() {
      const row = database.prepare("SELECT min(at) AS at FROM records").get() as { at: string | null };
      return row.at ?? undefined;
    },
    lost(since, until) {
      const [from, to] = [new Date(since).toISOString(), new Date(until).toISOString()];
      return lostRecords(database, { since: from, until: to });
    },
    close: () => database.close(),
  };
}
