/**
 * The counts of use of a node in SQLite, beside the log (spec/decision-log §5.1). All processes of the node add to one
 * file. Counts of other nodes are kept in it as they were read last.
 */

import type { DatabaseSync } from "node:sqlite";
import { openSqlite } from "../decision-log/index/open-sqlite.ts";
import type { UsageKind, UsageRow } from "./usage-rows.ts";

const FORMAT = 1;
const MOST_ROWS = 3_000_000;
/** Numbers of rows that are looked at in one turn of a sweep. */
const ROWS_PER_SLICE = 10_000;
/** Milliseconds that a write waits for that of another process. */
const BUSY_MS = 250;
/** Names of one question. */
const NAMES_PER_QUESTION = 500;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS usage (n INTEGER PRIMARY KEY, node TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,
    part TEXT NOT NULL, action TEXT NOT NULL, count INTEGER NOT NULL, last INTEGER NOT NULL);
  CREATE UNIQUE INDEX IF NOT EXISTS usage_by_name ON usage (kind, name, part, action, node);
  CREATE INDEX IF NOT EXISTS usage_by_node ON usage (node, n);
  CREATE TABLE IF NOT EXISTS begun (node TEXT PRIMARY KEY, at INTEGER NOT NULL);
  PRAGMA user_version = ${FORMAT};
`;
/** Programs of the same format that do not know it leave it as it is. At is NULL while a node does not count at all. */
const MISSED = "CREATE TABLE IF NOT EXISTS missed (node TEXT PRIMARY KEY, at INTEGER)";

/** Makes a file what this program needs. Throws for one of a later program. */
function prepare(database: DatabaseSync): void {
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA busy_timeout = ${BUSY_MS}`);
  const { user_version: format } = database.prepare("PRAGMA user_version").get() as { user_version: number };
  if (format > FORMAT) throw new Error(`the file has format ${format}, this program knows up to ${FORMAT}`);
  if (format < FORMAT) database.exec(SCHEMA);
  database.exec(MISSED);
}

const SUMMED = "sum(count) AS count, max(last) AS last";

/** Counting on one node. */
export interface NodeBegan {
  readonly node: string;
  /** Unix milliseconds: since when it counts. */
  readonly at: number;
  /** Unix milliseconds: until then some uses are known not to have been counted; absent where none are. */
  readonly missed?: number;
}

/** The counts of a node and what it knows of others. */
export class UsageDatabase {
  readonly #database: DatabaseSync;
  /** Number of numbers up to the newest that have no row. Until the first {@link sweep}: all that were given before. */
  #gaps: number;
  readonly #mostRows: number;

  /**
   * Opens or makes the file. Throws the error of SQLite.
   * @param path a file, or `:memory:`
   * @param mostRows rows from which on only known things are counted further
   */
  constructor(path: string, mostRows = MOST_ROWS) {
    this.#mostRows = mostRows;
    this.#database = openSqlite(path, prepare);
    this.#gaps = this.#newest();
  }

  /** Notes that a node counts; an earlier note stays. What it missed when it did not count ends now. */
  begin({ node, at, missed }: NodeBegan): void {
    this.#database
      .prepare("INSERT INTO begun VALUES (?, ?) ON CONFLICT DO UPDATE SET at = min(at, excluded.at)")
      .run(node, at);
    if (missed !== undefined) this.miss(node, missed);
  }

  /** Notes that a node missed uses until a time (Unix milliseconds); undefined: until it counts again. */
  miss(node: string, at: number | undefined): void {
    const later = "max(coalesce(at, excluded.at), excluded.at)";
    this.#database
      .prepare(`INSERT INTO missed VALUES (?, ?) ON CONFLICT DO UPDATE SET at = ${later}`)
      .run(node, at ?? null);
  }

  /** Notes that a node counts again, from a time on (Unix milliseconds). */
  countAgain(node: string, at: number): void {
    this.#database.prepare("UPDATE missed SET at = ? WHERE node = ? AND at IS NULL").run(at, node);
  }

  /** The nodes that count, by name. */
  nodes(): readonly NodeBegan[] {
    const rows = this.#database
      .prepare(
        "SELECT node, begun.at, missed.at AS missed FROM begun LEFT JOIN missed USING (node) ORDER BY node",
      )
      .all() as unknown as readonly (Omit<NodeBegan, "missed"> & { readonly missed: number | null })[];
    return rows.map(({ node, at, missed }) => ({ node, at, ...(missed !== null && { missed }) }));
  }

  /**
   * Adds counts, all or none. Throws the error of SQLite, also where another process writes for too long.
   * @returns false if some are of things that are not known, for which there is no room
   */
  add(node: string, rows: readonly UsageRow[]): boolean {
    return this.#change(node, rows, (count, given) => `${count} + ${given}`);
  }

  /**
   * Takes over what a node told, of which nothing is forgotten that it does not tell any more.
   * @returns false if there was no room for some
   */
  take(node: string, rows: readonly UsageRow[]): boolean {
    return this.#change(node, rows, (count, given) => `max(${count}, ${given})`);
  }

  /** Changes the rows that are there, and inserts others as long as there is room; false where there was none. */
  #change(
    node: string,
    rows: readonly UsageRow[],
    counted: (count: string, given: string) => string,
  ): boolean {
    const change = `count = ${counted("usage.count", "?6")}, last = max(usage.last, ?7)`;
    if (this.#newest() - this.#gaps < this.#mostRows) {
      // Replacing a row would give it another number.
      const insert = `INSERT INTO usage (node, kind, name, part, action, count, last)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO UPDATE SET ${change}`;
      this.#write(insert, node, rows);
      return true;
    }
    const place = "node = ?1 AND kind = ?2 AND name = ?3 AND part = ?4 AND action = ?5";
    return this.#write(`UPDATE usage SET ${change} WHERE ${place}`, node, rows) === rows.length;
  }

  /** Returns the number of rows that were written. */
  #write(sql: string, node: string, rows: readonly UsageRow[]): number {
    const database = this.#database;
    const statement = database.prepare(sql);
    let written = 0;
    database.exec("BEGIN IMMEDIATE");
    try {
      for (const { kind, name, part, action, count, last } of rows) {
        written += Number(statement.run(node, kind, name, part, action, count, last).changes);
      }
      database.exec("COMMIT");
    } catch (error) {
      database.exec("ROLLBACK");
      throw error;
    }
    return written;
  }

  /** The sums over all nodes, after a name of the same kind, in the order of names. */
  page(kind: UsageKind, after: string, amount: number): readonly UsageRow[] {
    const sql = `SELECT kind, name, part, action, ${SUMMED} FROM usage WHERE kind = ? AND name > ?
      GROUP BY name, part, action ORDER BY name LIMIT ?`;
    return this.#database.prepare(sql).all(kind, after, amount) as unknown as readonly UsageRow[];
  }

  /** The sums over all nodes of things with these names, in the order in which the things were counted first. */
  named(kind: UsageKind, names: readonly string[]): readonly UsageRow[] {
    const found: UsageRow[] = [];
    for (let from = 0; from < names.length; from += NAMES_PER_QUESTION) {
      const some = names.slice(from, from + NAMES_PER_QUESTION);
      const sql = `SELECT kind, name, part, action, ${SUMMED} FROM usage
        WHERE kind = ? AND name IN (${some.map(() => "?").join(",")}) GROUP BY name, part, action ORDER BY max(n)`;
      found.push(...(this.#database.prepare(sql).all(kind, ...some) as unknown as readonly UsageRow[]));
    }
    return found;
  }

  /** The sums over all nodes of the statements of a policy, after one of these rows, in the order of statements and actions. */
  ofPolicy(
    name: string,
    after: Pick<UsageRow, "part" | "action"> | undefined,
    amount: number,
  ): readonly UsageRow[] {
    const sql = `SELECT kind, name, part, action, ${SUMMED} FROM usage
      WHERE kind = 'statement' AND name = ? AND (part, action) > (?, ?)
      GROUP BY name, part, action ORDER BY part, action LIMIT ?`;
    // No statement has an empty digest.
    const { part, action } = after ?? { part: "", action: "" };
    return this.#database.prepare(sql).all(name, part, action, amount) as unknown as readonly UsageRow[];
  }

  /** True if there is any use of a kind. */
  has(kind: UsageKind): boolean {
    return this.#database.prepare("SELECT 1 FROM usage WHERE kind = ? LIMIT 1").get(kind) !== undefined;
  }

  /** The rows of one node after a place, with the place after them. */
  own(
    node: string,
    after: number,
    amount: number,
  ): { readonly rows: readonly UsageRow[]; readonly next: number } {
    const sql =
      "SELECT n, kind, name, part, action, count, last FROM usage WHERE node = ? AND n > ? ORDER BY n LIMIT ?";
    const found = this.#database.prepare(sql).all(node, after, amount) as unknown as (UsageRow & {
      n: number;
    })[];
    return { rows: found.map(({ n, ...row }) => row), next: found.at(-1)?.n ?? after };
  }

  /**
   * Forgets what was not used since a time (Unix milliseconds), and counts the rest, a slice with each step. That it does not
   * know earlier use any more is noted for a node.
   */
  *sweep(node: string, before: number): Generator<void> {
    const database = this.#database;
    const newest = this.#newest();
    const slice = "FROM usage WHERE n > ?2 AND n <= ?3";
    const look = database.prepare(
      `SELECT count(*) AS rows, count(*) FILTER (WHERE last < ?1) AS old, max(last) FILTER (WHERE last < ?1) AS newestOld ${slice}`,
    );
    const forget = database.prepare(`DELETE ${slice} AND last < ?1`);
    let kept = 0;
    for (let from = 0; from < newest; from += ROWS_PER_SLICE) {
      const range = [before, from, from + ROWS_PER_SLICE] as const;
      const { rows, old, newestOld } = look.get(...range) as { rows: number; old: number; newestOld: number };
      kept += rows - old;
      if (old > 0) {
        // Usually it is long ago; not so after the clock was ahead for a while.
        this.miss(node, newestOld);
        forget.run(...range);
      }
      yield;
    }
    this.#gaps = newest - kept;
  }

  /** Closes the file. */
  close(): void {
    this.#database.close();
  }

  /** The newest number of a row. */
  #newest(): number {
    return (this.#database.prepare("SELECT coalesce(max(n), 0) AS n FROM usage").get() as { n: number }).n;
  }
}
