/**
 * The counts of use of a node in SQLite, beside the log (spec/decision-log §5.1). All processes of the node add to one
 * file. Counts of other nodes are kept in it as they were read last.
 */

import type { DatabaseSync } from "node:sqlite";
import { openSqlite } from "../decision-log/index/open-sqlite.ts";
import type { UsageKind, UsageRow } from "./usage-rows.ts";

const FORMAT = 1;
/** Rows from which on only known things are counted further. */
const MOST_ROWS = 3_000_000;
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

const SUMMED = "sum(count) AS count, max(last) AS last";

/** Counting on one node. */
export interface NodeBegan {
  readonly node: string;
  /** Unix milliseconds: since when it counts. */
  readonly at: number;
}

/** The counts of a node and what it knows of others. */
export class UsageDatabase {
  readonly #database: DatabaseSync;

  /**
   * Opens or makes the file. Throws the error of SQLite.
   * @param path a file, or `:memory:`
   */
  constructor(path: string) {
    this.#database = openSqlite(path);
    this.#database.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA busy_timeout = ${BUSY_MS}`,
    );
    const { user_version: format } = this.#database.prepare("PRAGMA user_version").get() as {
      user_version: number;
    };
    if (format > FORMAT) throw new Error(`the file has format ${format}, this program knows up to ${FORMAT}`);
    if (format < FORMAT) this.#database.exec(SCHEMA);
  }

  /** Notes that a node counts; an earlier note stays. */
  begin({ node, at }: NodeBegan): void {
    this.#database
      .prepare("INSERT INTO begun VALUES (?, ?) ON CONFLICT DO UPDATE SET at = min(at, excluded.at)")
      .run(node, at);
  }

  /** The nodes that count, by name. */
  nodes(): readonly NodeBegan[] {
    return this.#database
      .prepare("SELECT node, at FROM begun ORDER BY node")
      .all() as unknown as readonly NodeBegan[];
  }

  /** Adds counts, all or none. Throws the error of SQLite, also where another process writes for too long. */
  add(node: string, rows: readonly UsageRow[]): void {
    const isFull = this.#rows() >= MOST_ROWS;
    const sum = "count = usage.count + excluded.count, last = max(usage.last, excluded.last)";
    const insert = `INSERT INTO usage (node, kind, name, part, action, count, last) VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET ${sum}`;
    const update = `UPDATE usage SET count = count + ?6, last = max(last, ?7)
      WHERE node = ?1 AND kind = ?2 AND name = ?3 AND part = ?4 AND action = ?5`;
    this.#write(isFull ? update : insert, node, rows);
  }

  /** Replaces what is known of another node, or adds to what was just replaced. */
  put(node: string, rows: readonly UsageRow[], first: boolean): void {
    if (first) this.#database.prepare("DELETE FROM usage WHERE node = ?").run(node);
    const insert = `INSERT OR REPLACE INTO usage (node, kind, name, part, action, count, last)
      VALUES (?, ?, ?, ?, ?, ?, ?)`;
    this.#write(insert, node, rows);
  }

  #write(sql: string, node: string, rows: readonly UsageRow[]): void {
    const database = this.#database;
    const statement = database.prepare(sql);
    database.exec("BEGIN IMMEDIATE");
    try {
      for (const { kind, name, part, action, count, last } of rows) {
        statement.run(node, kind, name, part, action, count, last);
      }
      database.exec("COMMIT");
    } catch (error) {
      database.exec("ROLLBACK");
      throw error;
    }
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

  /** Forgets what was not used since a time (Unix milliseconds). */
  forget(before: number): void {
    this.#database.prepare("DELETE FROM usage WHERE last < ?").run(before);
  }

  /** Closes the file. */
  close(): void {
    this.#database.close();
  }

  #rows(): number {
    const { n } = this.#database.prepare("SELECT max(n) AS n FROM usage").get() as { n: number | null };
    return n ?? 0;
  }
}
