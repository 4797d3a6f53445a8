/** The database of the engine on PostgreSQL: its tables, and what a node checks at its start (spec/journal §3 and spec/journal §8). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type pg from "pg";
import type { ItemKind } from "../engine.ts";

/** Any number that is the same for all nodes: two that start at once must not make the tables both. */
const SCHEMA_LOCK = 7_235_419;
/** Difference of two clocks that is worth a warning. */
const CLOCK_MS = 60_000;
/** SQLSTATE of a refused right. */
const RIGHT_MISSING = "42501";

/** The tables that a node creates at start if they are missing. */
const POSTGRES_SCHEMA = `CREATE TABLE IF NOT EXISTS svc_authorizer_entry (number bigint NOT NULL, name text COLLATE "C" NOT NULL DEFAULT '', item bytea NOT NULL, PRIMARY KEY (number, name));
CREATE TABLE IF NOT EXISTS svc_authorizer_part (number bigint NOT NULL, name text COLLATE "C" NOT NULL, item bytea NOT NULL, PRIMARY KEY (number, name));
CREATE TABLE IF NOT EXISTS svc_authorizer_checkpoint (number bigint NOT NULL, name text COLLATE "C" NOT NULL DEFAULT '', item bytea NOT NULL, PRIMARY KEY (number, name));
CREATE TABLE IF NOT EXISTS svc_authorizer_piece (number bigint NOT NULL, name text COLLATE "C" NOT NULL, item bytea NOT NULL, PRIMARY KEY (number, name));
CREATE TABLE IF NOT EXISTS svc_authorizer_usage (number bigint NOT NULL, name text COLLATE "C" NOT NULL, item bytea NOT NULL, PRIMARY KEY (number, name));
CREATE TABLE IF NOT EXISTS svc_authorizer_floor (one boolean PRIMARY KEY DEFAULT true CHECK (one), floor bigint NOT NULL);
INSERT INTO svc_authorizer_floor (floor) VALUES (0) ON CONFLICT DO NOTHING;`;

/** The table of each kind of item. */
export const POSTGRES_TABLES: Readonly<Record<ItemKind, string>> = {
  entry: "svc_authorizer_entry",
  part: "svc_authorizer_part",
  checkpoint: "svc_authorizer_checkpoint",
  piece: "svc_authorizer_piece",
  usage: "svc_authorizer_usage",
};

/**
 * Refuses a database that would lose what it acknowledges, and makes the tables where they are missing.
 * @throws AuthorizerError "invalid_request" that says what to do; errors of the driver as they are
 */
export async function preparePostgres(pool: pg.Pool, warn: (message: string) => void): Promise<void> {
  const { rows } = await pool.query<{ fsync: string; commits: string; standby: boolean; now: string }>(
    `SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commits,
     pg_is_in_recovery() AS standby, extract(epoch FROM clock_timestamp()) * 1000 AS now`,
  );
  const found = rows[0]!;
  if (found.standby)
    throw refused("it is a standby: name the primary in database.postgres.connection_string");
  if (found.fsync !== "on") {
    throw refused("fsync is off, so that a power loss takes acknowledged changes: set fsync = on");
  }
  // A pooler may drop what the connection asks for.
  if (found.commits === "off" || found.commits === "local") {
    throw refused(
      `synchronous_commit is ${found.commits}, so that acknowledged changes can be lost: ALTER ROLE … SET synchronous_commit = on`,
    );
  }
  warnOfClock(Date.now() - Number(found.now), warn);
  await makeTables(pool);
  await tryRights(pool);
}

/** Times in tokens and in the log are those of the nodes. */
function warnOfClock(aheadMs: number, warn: (message: string) => void): void {
  if (Math.abs(aheadMs) < CLOCK_MS) return;
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  const side = aheadMs > 0 ? "ahead of" : "behind";
  warn(
    `the clock of this machine is ${seconds} s ${side} that of the database: login tokens end at the wrong time, and other nodes refuse them; synchronise the clocks (NTP)`,
  );
}

async function makeTables(pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  try {
    if (!(await tablesExist(client))) {
      // The lock ends with the transaction, so that a pooler in transaction mode cannot leave it behind.
      await client.query(`BEGIN; SELECT pg_advisory_xact_lock(${SCHEMA_LOCK}); ${POSTGRES_SCHEMA} COMMIT`);
    }
    client.release();
  } catch (error) {
    client.release(true);
    if (codeOf(error) === RIGHT_MISSING) {
      const statements = `${POSTGRES_SCHEMA}\n${await grants(pool)}`;
      throw refused(
        `the user may not create the tables; have them created and granted:\n${statements}`,
        error,
      );
    }
    throw error;
  }
}

/** Rights are tried at start, not by the first who writes. */
async function tryRights(pool: pg.Pool): Promise<void> {
  try {
    await pool.query("UPDATE svc_authorizer_floor SET floor = floor");
    for (const table of Object.values(POSTGRES_TABLES)) {
      await pool.query(
        `WITH none AS (INSERT INTO ${table} SELECT * FROM ${table} WHERE false) DELETE FROM ${table} WHERE number < 0`,
      );
    }
  } catch (error) {
    if (codeOf(error) !== RIGHT_MISSING) throw error;
    throw refused(`the user lacks rights on the tables; have them granted:\n${await grants(pool)}`, error);
  }
}

/** Returns the statements that give the user of the connection what a node needs. */
async function grants(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ role: string }>("SELECT quote_ident(current_user) AS role");
  const role = rows[0]!.role;
  const tables = Object.values(POSTGRES_TABLES).join(", ");
  return `GRANT SELECT, INSERT, DELETE ON ${tables} TO ${role};\nGRANT SELECT, UPDATE ON svc_authorizer_floor TO ${role};`;
}

function codeOf(error: unknown): string | undefined {
  return (error as { code?: string }).code;
}

async function tablesExist(client: pg.PoolClient): Promise<boolean> {
  const names = [...Object.values(POSTGRES_TABLES), "svc_authorizer_floor"];
  const { rows } = await client.query<{ found: string }>(
    "SELECT count(*) AS found FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NOT NULL",
    [names],
  );
  return Number(rows[0]?.found) === names.length;
}

function refused(reason: string, cause?: unknown): AuthorizerError {
  const message = `The PostgreSQL database is not used: ${reason.endsWith(";") ? reason : `${reason}.`}`;
  return new AuthorizerError("invalid_request", message, cause === undefined ? {} : { cause });
}
