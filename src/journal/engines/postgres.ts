/**
 * The engine on PostgreSQL (spec/journal §8): one table for each kind of item, and one row for the floor. An entry is
 * created by a single statement outside of any transaction; what commits is its primary key.
 */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import pg from "pg";
import { LONGEST_TIMER_MS } from "../../schedule/longest-timer.ts";
import { HEAD_BYTES } from "../../store/log-entry.ts";
import {
  type Engine,
  type EntryPage,
  type ItemKind,
  type ItemName,
  type ListedKind,
  type LogLook,
  NothingDone,
} from "../engine.ts";
import { POSTGRES_TABLES, preparePostgres } from "./postgres-database.ts";
import { Listening } from "./postgres-listening.ts";
import { postgresReason } from "./postgres-reason.ts";
import { PostgresSockets } from "./postgres-sockets.ts";

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
const FLOOR = "SELECT floor FROM svc_authorizer_floor";
const CONNECT_TIMEOUT_MS = 5_000;
/** Time for the answer of a statement that the server has ended. */
const ANSWER_MS = 500;
/** Between polls while notifications come through. */
const HEARD_POLL_MS = 500;
/** Time for which an idle connection is kept. */
const IDLE_MS = 60_000;
const LONGEST_LIFETIME_S = Math.floor(LONGEST_TIMER_MS / 1_000);

/**
 * Connects, makes the tables where they are missing, and checks that the database keeps what it acknowledges.
 * @throws AuthorizerError "unavailable" or "invalid_request" that says what to do
 */
export async function openPostgresEngine(options: PostgresOptions): Promise<Engine> {
  const sockets = new PostgresSockets();
  const config: pg.ClientConfig = {
    connectionString: options.connectionString,
    stream: sockets.make,
    connectionTimeoutMillis: Math.min(CONNECT_TIMEOUT_MS, options.statementTimeoutMs),
    application_name: "svc-authorizer",
    keepAlive: true,
    statement_timeout: options.statementTimeoutMs,
    // A server that does not answer at all does not end its statements either.
    query_timeout: options.statementTimeoutMs + ANSWER_MS,
    idle_in_transaction_session_timeout: options.statementTimeoutMs,
    // Whatever the database's default is, an acknowledged commit is on its disk.
    options: "-c synchronous_commit=on",
  };
  const pool = new pg.Pool({
    ...config,
    // What is asked at once on a connection goes out at once.
    pipeline: true,
    max: options.maxOpenConnections > 0 ? options.maxOpenConnections : Number.MAX_SAFE_INTEGER,
    min: 0,
    maxLifetimeSeconds: Math.min(Math.ceil(options.connectionMaxLifetimeMs / 1_000), LONGEST_LIFETIME_S),
    idleTimeoutMillis: IDLE_MS,
  });
  // A connection that breaks while it is idle tells so here; the next query opens another one. One that breaks while
  // it is in use fails its query and also tells so itself: unheard, that would end the process.
  pool.on("error", () => listening.tellBroken());
  pool.on("connect", (client) => client.on("error", () => undefined));
  const notify = async (channel: string, payload: string): Promise<void> => {
    await pool.query("SELECT pg_notify($1, $2)", [channel, payload]);
  };
  const listening = new Listening(config, CHANNEL, notify, options.warn);
  try {
    await preparePostgres(pool, options.warn);
    return new PostgresEngine(pool, listening, sockets, options.maxIdleConnections);
  } catch (error) {
    await sockets.end(() => pool.end());
    throw error instanceof AuthorizerError ? error : unusable(error);
  }
}

class PostgresEngine implements Engine {
  // The driver holds a multiple of a part while it reads one.
  readonly budgets = { entry: 1024 * 1024, part: 1024 * 1024 };
  readonly lookMs = 10;
  readonly #pool: pg.Pool;
  readonly #listening: Listening;
  readonly #sockets: PostgresSockets;
  readonly #mostIdle: number;

  constructor(pool: pg.Pool, listening: Listening, sockets: PostgresSockets, mostIdle: number) {
    this.#pool = pool;
    this.#listening = listening;
    this.#sockets = sockets;
    this.#mostIdle = mostIdle;
  }

  async create(name: ItemName, item: Buffer): Promise<boolean> {
    const { rowCount } = await this.#query(insertOf(name.kind), [name.number, name.name, item]);
    return rowCount === 1;
  }

  async createAndFloor(
    name: ItemName,
    item: Buffer,
  ): Promise<{ readonly created: boolean; readonly floor: number | undefined }> {
    // Two statements, each its own transaction, sent together: the second one sees what there is after the first.
    const [inserted, floor] = await this.#withClient(async (client) => {
      const asked = [
        client.query(insertOf(name.kind), [name.number, name.name, item]),
        client.query<{ floor: string }>(FLOOR, []),
      ] as const;
      const [made, read] = await Promise.allSettled(asked);
      if (made.status === "rejected") throw made.reason;
      return [made.value, read.status === "fulfilled" ? read.value : undefined];
    });
    return { created: inserted.rowCount === 1, floor: floor && floorOf(floor.rows) };
  }

  async read({ kind, number, name }: ItemName): Promise<Buffer | undefined> {
    const text = `SELECT item FROM ${POSTGRES_TABLES[kind]} WHERE number = $1 AND name = $2`;
    const { rows } = await this.#query<{ item: Buffer }>(text, [number, name]);
    return rows[0]?.item;
  }

  async entries(after: number, limit: number): Promise<EntryPage> {
    // One statement sees one state: the floor is not older than the entries.
    const { rows } = await this.#query<{
      floor: string;
      own: Buffer | null;
      number: string | null;
      item: Buffer | null;
    }>(
      `SELECT f.floor, e.number, e.item,
       (SELECT substring(item FROM 1 FOR ${HEAD_BYTES}) FROM svc_authorizer_entry WHERE number = $1 LIMIT 1) AS own FROM svc_authorizer_floor f LEFT JOIN LATERAL
       (SELECT number, item FROM svc_authorizer_entry WHERE number > $1 AND number <= $2 ORDER BY number) e ON true`,
      [after, after + limit],
    );
    const entries: { revision: number; item: Buffer }[] = [];
    for (const { number, item } of rows) {
      if (item === null || Number(number) !== after + entries.length + 1) break;
      entries.push({ revision: Number(number), item });
    }
    return { entries, floor: floorOf(rows), own: { head: rows[0]?.own ?? undefined } };
  }

  async firstAfter(revision: number): Promise<number | undefined> {
    const first = "SELECT number FROM svc_authorizer_entry WHERE number > $1 ORDER BY number LIMIT 1";
    const { rows } = await this.#query<{ number: string }>(first, [revision]);
    return rows[0] && Number(rows[0].number);
  }

  async floor(): Promise<number> {
    return floorOf((await this.#query<{ floor: string }>(FLOOR, [])).rows);
  }

  async look(revision: number): Promise<LogLook> {
    // One statement sees one state; a standby, to which a pooler may have led the connection, may see an old one.
    const { rows } = await this.#query<{
      floor: string;
      standby: boolean;
      next: boolean;
      own: Buffer | null;
    }>(
      `SELECT floor, pg_is_in_recovery() AS standby,
       EXISTS (SELECT FROM svc_authorizer_entry WHERE number = $1 + 1) AS next,
       (SELECT substring(item FROM 1 FOR ${HEAD_BYTES}) FROM svc_authorizer_entry WHERE number = $1 LIMIT 1) AS own
       FROM svc_authorizer_floor`,
      [revision],
    );
    const floor = floorOf(rows);
    const { standby, next, own } = rows[0]!;
    if (standby)
      throw new NothingDone("a connection leads to a standby: name the primary in the connection string");
    return { hasNext: next, own: own ?? undefined, floor };
  }

  async raiseFloor(to: number): Promise<void> {
    await this.#query("UPDATE svc_authorizer_floor SET floor = $1 WHERE floor < $1", [to]);
  }

  async remove(names: readonly ItemName[]): Promise<void> {
    for (const [kind, of] of Map.groupBy(names, (name) => name.kind)) {
      await this.#query(
        `DELETE FROM ${POSTGRES_TABLES[kind]} USING unnest($1::bigint[], $2::text[]) AS gone (number, name)
         WHERE ${POSTGRES_TABLES[kind]}.number = gone.number AND ${POSTGRES_TABLES[kind]}.name = gone.name`,
        [of.map(({ number }) => number), of.map(({ name }) => name)],
      );
    }
  }

  async list(kind: ItemKind, upTo: number, limit: number): Promise<readonly ItemName[]> {
    return this.#names(kind, "number, name", [upTo, limit]);
  }

  async newest(kind: ListedKind, upTo: number): Promise<ItemName | undefined> {
    return (await this.#names(kind, "number DESC, name DESC", [upTo, 1]))[0];
  }

  async #names(
    kind: ItemKind,
    order: string,
    upToAndLimit: readonly [number, number],
  ): Promise<readonly ItemName[]> {
    const { rows } = await this.#query<{ number: string; name: string }>(
      `SELECT number, name FROM ${POSTGRES_TABLES[kind]} WHERE number <= $1 ORDER BY ${order} LIMIT $2`,
      [...upToAndLimit],
    );
    return rows.map(({ number, name }) => ({ kind, number: Number(number), name }));
  }

  get restMs(): number | undefined {
    return this.#listening.isHeard ? HEARD_POLL_MS : undefined;
  }

  watch(listener: (revision?: number) => void): () => void {
    return this.#listening.watch(listener);
  }

  async close(): Promise<void> {
    await this.#sockets.end(async () => {
      await this.#listening.close();
      await this.#pool.end();
    });
  }

  #query<R extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<pg.QueryResult<R>> {
    return this.#withClient((client) => client.query<R>(text, values));
  }

  async #withClient<T>(ask: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    try {
      const result = await ask(client);
      // Who waits gets it; else it would become idle.
      client.release(this.#pool.waitingCount === 0 && this.#pool.idleCount >= this.#mostIdle);
      return result;
    } catch (error) {
      const refusal = hadNoEffect(error);
      // A connection that was left in the middle of something is not used again.
      client.release(!refusal);
      throw refusal ? new NothingDone(postgresReason(error), { cause: error }) : error;
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw new NothingDone(postgresReason(error), { cause: error });
    }
  }
}

/** The statement that creates an item if it is absent; that of an entry also tells the nodes that listen. */
function insertOf(kind: ItemKind): string {
  const insert = `INSERT INTO ${POSTGRES_TABLES[kind]} (number, name, item) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING number`;
  if (kind !== "entry") return insert;
  return `WITH made AS (${insert}) SELECT pg_notify('${CHANNEL}', number::text) FROM made`;
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

function unusable(cause: unknown): AuthorizerError {
  return new AuthorizerError(
    "unavailable",
    `The PostgreSQL database cannot be used: ${postgresReason(cause)}.`,
    {
      cause,
    },
  );
}
