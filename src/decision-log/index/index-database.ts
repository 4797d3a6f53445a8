/**
 * The index of records in SQLite: it may be thrown away, and is then made anew from the segments (spec/decision-log §3.3).
 * It works synchronously, and therefore in a thread of its own.
 */

import { rmSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import {
  chainsIn,
  isChainOf,
  type SegmentFile,
  segmentsOf,
} from "@svc-authorizer/policy/records/chain-files.ts";
import { segmentLines } from "@svc-authorizer/policy/records/read-lines.ts";
import { isDecision, type LoggedDecision, type LoggedLine } from "@svc-authorizer/policy/records/record.ts";
import { indexFile } from "./index-file.ts";
import type { DecisionRow } from "./index-rows.ts";
import { lostRecords } from "./lost-records.ts";
import { openSqlite } from "./open-sqlite.ts";
import { clausesOf, whereOf } from "./query-clauses.ts";
import type {
  NewRecords,
  PolicyRefusals,
  RecordFilter,
  RecordPage,
  RecordPageRequest,
} from "./record-filter.ts";

const FORMAT = 3;
/** Lines of one transaction. */
const LINES_PER_COMMIT = 2_000;
/** Most records of a page. */
const MOST_RECORDS = 1_000;

/** Records that are looked at for refusals, and policies that are named. */
const MOST_REFUSALS = 100_000;
const MOST_POLICIES = 20;
/** More decisions than a record has: with the number of the record it makes one of each. */
const MOST_ITEMS = 1_000_000;

const SCHEMA = `
  CREATE TABLE records (n INTEGER PRIMARY KEY, chain TEXT NOT NULL, segment INTEGER NOT NULL, id TEXT NOT NULL,
    at TEXT NOT NULL, text TEXT NOT NULL);
  CREATE INDEX records_by_id ON records (id);
  CREATE INDEX records_by_time ON records (at, n);
  CREATE INDEX records_by_segment ON records (chain, segment);
  CREATE TABLE decisions (n INTEGER NOT NULL, subject TEXT, action TEXT, arn TEXT, effect TEXT NOT NULL, policy TEXT,
    item INTEGER NOT NULL);
  CREATE INDEX decisions_by_record ON decisions (n);
  CREATE INDEX decisions_by_subject ON decisions (subject, n);
  CREATE INDEX decisions_by_policy ON decisions (policy, n);
  CREATE TABLE losses (chain TEXT NOT NULL, segment INTEGER NOT NULL, at TEXT NOT NULL, lost INTEGER NOT NULL);
  CREATE INDEX losses_by_time ON losses (at);
  CREATE TABLE places (chain TEXT PRIMARY KEY, segment INTEGER NOT NULL, offset INTEGER NOT NULL, line INTEGER NOT NULL);
  PRAGMA user_version = ${FORMAT};
`;

interface Place {
  readonly segment: number;
  readonly offset: number;
  readonly line: number;
}

/** A line, and what it says; undefined where it is damaged. */
interface ReadLine {
  readonly text: string;
  readonly line: LoggedLine | undefined;
}

/** Later than any other. */
const NO_TIME = "9999";

/** The index of the chains of one node. */
export class IndexDatabase {
  readonly #directory: string;
  readonly #node: string;
  readonly #rowsOf: (record: LoggedDecision) => readonly DecisionRow[];
  readonly #database: DatabaseSync;
  /** Chains whose place was compared with their files. */
  readonly #looked = new Set<string>();

  /**
   * Opens or makes the index. Throws the error of SQLite or of the file system.
   * @param worker number of the process whose index it is
   * @param rowsOf the rows of a record
   */
  constructor(
    directory: string,
    node: string,
    worker: number,
    rowsOf: (record: LoggedDecision) => readonly DecisionRow[],
  ) {
    this.#rowsOf = rowsOf;
    this.#directory = directory;
    this.#node = node;
    this.#database = openIndex(indexFile(directory, node, worker));
  }

  /** Reads what the chains have beyond the index, and forgets what they no longer have. */
  async catchUp(): Promise<readonly string[]> {
    const chains = (await chainsIn(this.#directory)).filter((chain) => isChainOf(this.#node, chain));
    for (const chain of chains) await this.#catchUpChain(chain);
    return chains;
  }

  /** Returns records, newest first. */
  page(filter: RecordFilter, { after, amount }: RecordPageRequest): Omit<RecordPage, "chains"> {
    const { where, values } = clausesOf(filter);
    const [at, n] = (after ?? "").split(" ");
    const cursor = n === undefined ? [] : ["(r.at, r.n) < (?, ?)"];
    const bound = n === undefined ? values : [...values, at as string, Number(n)];
    const limit = Math.min(amount, MOST_RECORDS);
    const sql = `SELECT r.n AS n, r.at AS at, r.text AS text FROM records r
      ${whereOf([...where, ...cursor])} ORDER BY r.at DESC, r.n DESC LIMIT ${limit + 1}`;
    const rows = this.#database.prepare(sql).all(...bound) as { n: number; at: string; text: string }[];
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    const next = rows.length > limit && last !== undefined ? `${last.at} ${last.n}` : "";
    return { records: shown.map(({ text }) => text), next, lost: lostRecords(this.#database, filter) };
  }

  /** Returns records that were indexed after a place, oldest first. */
  since(filter: RecordFilter, place: number): NewRecords {
    const { where, values } = clausesOf(filter);
    const newest = this.place();
    const sql = `SELECT r.n AS n, r.text AS text FROM records r ${whereOf([...where, "r.n > ?", "r.n <= ?"])}
      ORDER BY r.n LIMIT ${MOST_RECORDS}`;
    const rows = this.#database.prepare(sql).all(...values, place, newest) as { n: number; text: string }[];
    const last = rows.length === MOST_RECORDS ? rows.at(-1) : undefined;
    return { records: rows.map(({ text }) => text), place: last?.n ?? newest, more: last !== undefined };
  }

  /** The place after the newest record. */
  place(): number {
    const row = this.#database.prepare("SELECT max(n) AS n FROM records").get() as { n: number | null };
    return row.n ?? 0;
  }

  /** Returns the record of an id. */
  get(id: string): string | undefined {
    const row = this.#database
      .prepare("SELECT text FROM records WHERE id = ? ORDER BY n DESC LIMIT 1")
      .get(id);
    return (row as { text: string } | undefined)?.text;
  }

  /** Returns how many of the newest refusals each policy decided, those of most refusals first. */
  refusals(): readonly PolicyRefusals[] {
    const sql = `SELECT policy, count(DISTINCT n * ${MOST_ITEMS} + item) AS count FROM decisions
      WHERE n > ? AND effect <> 'allow' GROUP BY policy ORDER BY count DESC, policy LIMIT ${MOST_POLICIES}`;
    const rows = this.#database.prepare(sql).all(this.place() - MOST_REFUSALS) as unknown as PolicyRefusals[];
    return rows.map(({ policy, count }) => ({ policy, count }));
  }

  /** Closes the database. */
  close(): void {
    this.#database.close();
  }

  async #catchUpChain(chain: string): Promise<void> {
    const segments = await segmentsOf(join(this.#directory, chain));
    const first = segments[0]?.number ?? 0;
    this.#forget(chain, first);
    const place = await this.#placeIn(chain, segments);
    for (const segment of segments) {
      if (segment.number < place.segment) continue;
      const isStarted = segment.number === place.segment;
      await this.#readSegment(
        chain,
        segment,
        isStarted ? place : { segment: segment.number, offset: 0, line: 0 },
      );
    }
  }

  #forget(chain: string, first: number): void {
    const database = this.#database;
    database.prepare("DELETE FROM losses WHERE chain = ? AND segment < ?").run(chain, first);
    const old = database
      .prepare("SELECT 1 FROM records WHERE chain = ? AND segment < ? LIMIT 1")
      .get(chain, first);
    if (old === undefined) return;
    database
      .prepare("DELETE FROM decisions WHERE n IN (SELECT n FROM records WHERE chain = ? AND segment < ?)")
      .run(chain, first);
    database.prepare("DELETE FROM records WHERE chain = ? AND segment < ?").run(chain, first);
  }

  #placeOf(chain: string): Place {
    const row = this.#database.prepare("SELECT segment, offset, line FROM places WHERE chain = ?").get(chain);
    return (row as unknown as Place | undefined) ?? { segment: 0, offset: 0, line: 0 };
  }

  /**
   * The place in a chain. Of one that ends before it, because power was lost or files were put back, everything is read
   * again.
   */
  async #placeIn(chain: string, segments: readonly SegmentFile[]): Promise<Place> {
    const place = this.#placeOf(chain);
    if (this.#looked.has(chain)) return place;
    this.#looked.add(chain);
    const newest = segments.at(-1);
    if (newest === undefined || newest.number > place.segment) return place;
    const isWithin =
      newest.number === place.segment &&
      (newest.compressed || (await stat(newest.path)).size >= place.offset);
    if (isWithin) return place;
    this.#forget(chain, Number.MAX_SAFE_INTEGER);
    this.#database.prepare("DELETE FROM places WHERE chain = ?").run(chain);
    return this.#placeOf(chain);
  }

  async #readSegment(chain: string, segment: SegmentFile, from: Place): Promise<void> {
    let lines: ReadLine[] = [];
    let { offset, line: number } = from;
    const save = () => {
      this.#save(chain, { segment: segment.number, offset, line: number }, lines);
      lines = [];
    };
    for await (const { line, complete } of segmentLines(segment, from.offset)) {
      if (!complete) break;
      offset += line.length + 1;
      number++;
      const text = line.toString("utf8");
      lines.push({ text, line: parsedLine(text) });
      if (lines.length >= LINES_PER_COMMIT) save();
    }
    if (offset > from.offset) save();
  }

  #save(chain: string, { segment, offset, line }: Place, lines: readonly ReadLine[]): void {
    const database = this.#database;
    database.exec("BEGIN IMMEDIATE");
    try {
      const record = database.prepare(
        "INSERT INTO records (chain, segment, id, at, text) VALUES (?, ?, ?, ?, ?)",
      );
      const decision = database.prepare("INSERT INTO decisions VALUES (?, ?, ?, ?, ?, ?, ?)");
      const loss = database.prepare("INSERT INTO losses VALUES (?, ?, ?, ?)");
      // Of a damaged line the time is not known: those beside it tell it.
      let at = lines.find(({ line }) => line !== undefined)?.line?.at ?? NO_TIME;
      for (const { text, line } of lines) {
        at = line?.at ?? at;
        if (line === undefined) loss.run(chain, segment, at, 1);
        else if ("lost" in line) loss.run(chain, segment, at, line.lost);
        else if (isDecision(line)) {
          const { lastInsertRowid: n } = record.run(chain, segment, line.id, at, text);
          for (const values of this.#rowsOf(line)) decision.run(n, ...values);
        }
      }
      database
        .prepare("INSERT OR REPLACE INTO places (chain, segment, offset, line) VALUES (?, ?, ?, ?)")
        .run(chain, segment, offset, line);
      database.exec("COMMIT");
    } catch (error) {
      database.exec("ROLLBACK");
      throw error;
    }
  }
}

/** undefined for a damaged line, which verification names: what is sound is to be found still. */
function parsedLine(text: string): LoggedLine | undefined {
  try {
    return parseJsonText(text) as LoggedLine;
  } catch {
    return undefined;
  }
}

function openIndex(path: string): DatabaseSync {
  try {
    const database = openSqlite(path);
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF");
    const { user_version: format } = database.prepare("PRAGMA user_version").get() as {
      user_version: number;
    };
    if (format === FORMAT) return database;
    if (format === 0) {
      database.exec(SCHEMA);
      return database;
    }
    database.close();
  } catch {
    // A damaged index is made anew: it has nothing that the segments lack.
  }
  for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
  const database = openSqlite(path);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; ${SCHEMA}`);
  return database;
}
