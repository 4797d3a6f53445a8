/**
 * The engine on PostgreSQL (journal.md §8): one table for each kind of item, and one row for the floor. An entry is
 * created by a single statement outside of any transaction; what commits is its primary key.
 */

import pg from "pg";
import { AuthorizerError } from "../../errors.ts";
import { type Engine, type EntryPage, type ItemKind, type ItemName, NothingDone } from "../engine.ts";
import { Listening } from "./postgres-listening.ts";

/** Connection settings (`database.postgres.*`). */
export interface PostgresOptions {
  readonly connectionString: string;
  readonly maxOpenConnections: number;
  readonly maxIdleConnections: number;
  /** Milliseconds. */
  readonly connectionMaxLifetimeMs: number;
  /** Most milliseconds that a statement may take. */
  readonly statementTimeoutMs: number;
  readonly warn: (message: string) => void;
}

const CHANNEL = "svc_authorizer_entry";
const CONNECT_TIMEOUT_MS = 5_000;
/** Time for which an idle connection is kept. */
const IDLE_MS = 60_000;
/** Any number that is the same for all nodes: two that start at once must not make the tables both. */
const SCHEMA_LOCK = 7_235_419;

/** The tables that a node creates at start if they are missing. */
export const POSTGRES_SCHEMA = `CREATE TABLE IF NOT EXISTS svc_authorizer_entry (number bigint NOT NULL, name text COLLATE "C" NOT NULL DEFAULT '', item bytea NOT NULL, PRIMARY KEY (number, name));
CREATE TABLE IF NOT EXISTS svc_authorizer_part (number bigint NOT NULL, name text COLLATE "C" NOT NULL, item bytea NOT NULL, PRIMARY KEY (number, name));
CREATE TABLE IF NOT EXISTS svc_authorizer_checkpoint (number bigint NOT NULL, name text COLLATE "C" NOT NULL DEFAULT '', item bytea NOT NULL, PRIMARY KEY (number, name));
CREATE TABLE IF NOT EXISTS svc_authorizer_piece (number bigint NOT NULL, name text COLLATE "C" NOT NULL, item bytea NOT NULL, PRIMARY KEY (number, name));
CREATE TABLE IF NOT EXISTS svc_authorizer_floor (one boolean PRIMARY KEY DEFAULT true CHECK (one), floor bigint NOT NULL);
INSERT INTO svc_authorizer_floor (floor) VALUES (0) ON CONFLICT DO NOTHING;`;

const TABLES: Readonly<Record<ItemKind, string>> = {
  entry: "svc_authorizer_entry",
  part: "svc_authorizer_part",
  checkpoint: "svc_authorizer_checkpoint",
  piece: "svc_authorizer_piece",
};

/**
 * Connects, makes the tables where they are missing, and checks that the database keeps what it acknowledges.
 * @throws AuthorizerError "unavailable" or "invalid_request" that says what to do
 */
export async function openPostgresEngine(options: PostgresOptions): Promise<Engine> {
  const config: pg.ClientConfig = {
    connectionString: options.connectionString,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: "svc-authorizer",
    keepAlive: true,
    statement_timeout: options.statementTimeoutMs,
    query_timeout: options.statementTimeoutMs + 1_000,
    idle_in_transaction_session_timeout: options.statementTimeoutMs,
    // Whatever the database's default is, an acknowledged commit is on its disk.
    options: "-c synchronous_commit=on",
  };
  const pool = new pg.Pool({
    ...config,
    max: options.maxOpenConnections > 0 ? options.maxOpenConnections : Number.MAX_SAFE_INTEGER,
    min: 0,
    maxLifetimeSeconds: Math.ceil(options.connectionMaxLifetimeMs / 1_000),
    idleTimeoutMillis: IDLE_MS,
  });
  // A connection that breaks while it is idle tells so here; the next query opens another one.
  pool.on("error", () => undefined);
  try {
    await prepare(pool);
    return new PostgresEngine(pool, new Listening(config, CHANNEL, options.warn), options.maxIdleConnections);
  } catch (error) {
    await pool.end();
    throw error instanceof AuthorizerError ? error : unusable(error);
  }
}

async function prepare(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ fsync: string; standby: boolean }>(
    "SELECT current_setting('fsync') AS fsync, pg_is_in_recovery() AS standby",
  );
  if (rows[0]?.standby === true) {
    throw refused("it is a standby: name the primary in database.postgres.connection_string");
  }
  if (rows[0]?.fsync !== "on") {
    throw refused("fsync is off, so that a power loss takes acknowledged changes: set fsync = on");
  }
  const client = await pool.connect();
  try {
    await client.query("SELECT pg_advisory_lock($1)", [SCHEMA_LOCK]);
    if (!(await tablesExist(client))) await client.query(POSTGRES_SCHEMA);
    await client.query("SELECT pg_advisory_unlock($1)", [SCHEMA_LOCK]);
    client.release();
  } catch (error) {
    client.release(true);
    if ((error as { code?: string }).code === "42501") {
      throw refused(`the user may not create the tables; have them created:\n${POSTGRES_SCHEMA}`);
    }
    throw error;
  }
  // Rights are tried at start, not by the first who writes.
  await pool.query("UPDATE svc_authorizer_floor SET floor = floor");
  await pool.query("SELECT count(*) FROM svc_authorizer_entry WHERE number = 0");
}

async function tablesExist(client: pg.PoolClient): Promise<boolean> {
  const names = [...Object.values(TABLES), "svc_authorizer_floor"];
  const { rows } = await client.query<{ found: string }>(
    "SELECT count(*) AS found FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NOT NULL",
    [names],
  );
  return Number(rows[0]?.found) === names.length;
}

class PostgresEngine implements Engine {
  readonly budgets = { entry: 1024 * 1024, part: 8 * 1024 * 1024 };
  readonly #pool: pg.Pool;
  readonly #listening: Listening;
  readonly #mostIdle: number;

  constructor(pool: pg.Pool, listening: Listening, mostIdle: number) {
    this.#pool = pool;
    this.#listening = listening;
    this.#mostIdle = mostIdle;
  }

  async create({ kind, number, name }: ItemName, item: Buffer): Promise<boolean> {
    const insert = `INSERT INTO ${TABLES[kind]} (number, name, item) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING number`;
    const text =
      kind === "entry"
        ? `WITH made AS (${insert}) SELECT pg_notify('${CHANNEL}', number::text) FROM made`
        : insert;
    const { rowCount } = await this.#query(text, [number, name, item]);
    return rowCount === 1;
  }

  async read({ kind, number, name }: ItemName): Promise<Buffer | undefined> {
    const text = `SELECT item FROM ${TABLES[kind]} WHERE number = $1 AND name = $2`;
    const { rows } = await this.#query<{ item: Buffer }>(text, [number, name]);
    return rows[0]?.item;
  }

  async entries(after: number, limit: number): Promise<EntryPage> {
    // One statement sees one state: the floor is not older than the entries.
    const { rows } = await this.#query<{ floor: string; number: string | null; item: Buffer | null }>(
      `SELECT f.floor, e.number, e.item FROM svc_authorizer_floor f LEFT JOIN LATERAL
       (SELECT number, item FROM svc_authorizer_entry WHERE number > $1 AND number <= $2 ORDER BY number) e ON true`,
      [after, after + limit],
    );
    const entries: { revision: number; item: Buffer }[] = [];
    for (const { number, item } of rows) {
      if (item === null || Number(number) !== after + entries.length + 1) break;
      entries.push({ revision: Number(number), item });
    }
    return { entries, floor: floorOf(rows) };
  }

  async floor(): Promise<number> {
    return floorOf((await this.#query<{ floor: string }>("SELECT floor FROM svc_authorizer_floor", [])).rows);
  }

  async raiseFloor(to: number): Promise<void> {
    await this.#query("UPDATE svc_authorizer_floor SET floor = $1 WHERE floor < $1", [to]);
  }

  async remove(names: readonly ItemName[]): Promise<void> {
    for (const [kind, of] of Map.groupBy(names, (name) => name.kind)) {
      await this.#query(
        `DELETE FROM ${TABLES[kind]} USING unnest($1::bigint[], $2::text[]) AS gone (number, name)
         WHERE ${TABLES[kind]}.number = gone.number AND ${TABLES[kind]}.name = gone.name`,
        [of.map(({ number }) => number), of.map(({ name }) => name)],
      );
    }
  }

  async list(kind: ItemKind, upTo: number, limit: number): Promise<readonly ItemName[]> {
    const { rows } = await this.#query<{ number: string; name: string }>(
      `SELECT number, name FROM ${TABLES[kind]} WHERE number <= $1 ORDER BY number, name LIMIT $2`,
      [upTo, limit],
    );
    return rows.map(({ number, name }) => ({ kind, number: Number(number), name }));
  }

  watch(listener: () => void): () => void {
    return this.#listening.watch(listener);
  }

  async close(): Promise<void> {
    await this.#listening.close();
    await this.#pool.end();
  }

  async #query<R extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<pg.QueryResult<R>> {
    const client = await this.#connect();
    try {
      const result = await client.query<R>(text, values);
      // Who waits gets it; else it would become idle.
      client.release(this.#pool.waitingCount === 0 && this.#pool.idleCount >= this.#mostIdle);
      return result;
    } catch (error) {
      const refusal = hadNoEffect(error);
      // A connection that was left in the middle of something is not used again.
      client.release(!refusal);
      throw refusal ? new NothingDone(reasonOf(error), { cause: error }) : error;
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw new NothingDone(reasonOf(error), { cause: error });
    }
  }
}

function floorOf(rows: readonly { readonly floor: string }[]): number {
  const row = rows[0];
  if (row === undefined) throw new NothingDone("svc_authorizer_floor is empty: restore the database");
  return Number(row.floor);
}

/** Classes of SQLSTATE with which the database says that the statement was rolled back. */
const REFUSED = /^(22|23|25|28|3D|42|53|54)/;

/** True where the database itself said that it did nothing; a lost connection says nothing. */
function hadNoEffect(error: unknown): boolean {
  const { code, severity } = error as { code?: string; severity?: string };
  return severity === "ERROR" && code !== undefined && REFUSED.test(code);
}

function refused(reason: string): AuthorizerError {
  return new AuthorizerError("invalid_request", `The PostgreSQL database is not used: ${reason}.`);
}

function unusable(cause: unknown): AuthorizerError {
  return new AuthorizerError("unavailable", `The PostgreSQL database cannot be used: ${reasonOf(cause)}.`, {
    cause,
  });
}

/** Returns the cause and the remedy; it never contains the connection string, which has a password. */
function reasonOf(error: unknown): string {
  const { code = "", message = "" } = error as { code?: string; message?: string };
  switch (code) {
    case "28P01":
    case "28000":
      return "user or password is wrong; check database.postgres.connection_string";
    case "3D000":
      return "the database named in database.postgres.connection_string does not exist";
    case "42501":
      return "the user lacks rights on the tables svc_authorizer_…; grant SELECT, INSERT, UPDATE and DELETE";
    case "53100":
      return "its disk is full";
    case "53300":
      return "it has too many connections; lower database.postgres.max_open_connections";
    case "25006":
      return "it is read-only; name the primary in database.postgres.connection_string";
    case "ECONNREFUSED":
    case "ENOTFOUND":
    case "ETIMEDOUT":
      return `nothing answers at the address in database.postgres.connection_string (${code})`;
    default:
      return /^[0-9A-Z]{5}$/.test(code) || /SSL|certificate/i.test(message) ? message : code || message;
  }
}
