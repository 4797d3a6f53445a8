/**
 * `npm run bench -- --sizes`: directories of many users on one PostgreSQL: how long they load and join, what they weigh, and
 * how many writes one, two and four nodes make. `BENCH_USERS` names the sizes. Nodes, PostgreSQL and callers share the
 * machine, whose load is that of the last minute.
 */

import { execFileSync } from "node:child_process";
import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { type PostgresCluster, postgresBin, startPostgres } from "../test/journal/postgres-cluster.ts";
import { measured } from "../test/proofs/data-server/measured-run.ts";
import { folder, program } from "./authorizer.ts";
import { benchNodeConfig, startBenchNode, userName, usersInGroups, writeTo } from "./bench-node.ts";
import { onAllCores, type StartedServer } from "./processes.ts";

const SIZES = (process.env["BENCH_USERS"] ?? "100000,1000000").split(",").map(Number);
const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 5);
const FLEETS = [1, 2, 4];
const WRITERS = 32;
/** Parts of the users: one for each node of each fleet. */
const MOST_PARTS = 1 + 2 + 4;
const MIB = 1024 ** 2;
/** Users of one data set: each is two changes, of which a shared database takes two million at once. */
const MOST_AT_ONCE = 900_000;
/** Time after all writes in which a checkpoint is whole, in milliseconds. */
const CHECKPOINT_MS = 120_000;
/** SQLSTATE of a table that is not there. */
const NO_TABLE = "42P01";
/** Between two looks for it. */
const LOOK_MS = 50;

/** Figures of one directory, as text. */
type SizeRow = readonly string[];

/** Headings of {@link SizeRow}. */
export const SIZE_HEADINGS = [
  "Users",
  "First node loads them",
  "A node joins",
  "Memory of a node (RssAnon)",
  "Its copy",
  "`export` (RssAnon, CPU)",
  "`check-store` (RssAnon, CPU)",
  "A checkpoint",
  "written in",
  "Writes/s of 1, 2 and 4 nodes",
  "Load of the machine",
];

/** Measures all sizes; the cluster is thrown away afterwards. */
export async function measureSizes(log: (text: string) => void): Promise<readonly SizeRow[]> {
  if (postgresBin() === undefined) throw new Error("needs PostgreSQL: apt-get install postgresql");
  const cluster = await startPostgres();
  try {
    const rows: SizeRow[] = [];
    for (const users of SIZES) rows.push(await onAllCores(() => measureSize(cluster, users, log)));
    return rows;
  } finally {
    await cluster.close();
  }
}

async function measureSize(
  cluster: PostgresCluster,
  users: number,
  log: (text: string) => void,
): Promise<SizeRow> {
  const database = await cluster.newDatabase();
  const nodes: StartedServer[] = [];
  const ending = new AbortController();
  const start = async (dataset?: string): Promise<StartedServer> => {
    const path = join(folder, `copy-${users}-${nodes.length}`);
    const replication = { path, checkpoint_every: 100 };
    const node = await startBenchNode({ database, replication, ...(dataset !== undefined && { dataset }) });
    nodes.push(node);
    return node;
  };
  try {
    // A large directory is one from its first entry on, others after as many entries as the setting says.
    const watched = firstCheckpoint(database, ending.signal);
    const began = performance.now();
    for (let written = MOST_AT_ONCE; written < users; written += MOST_AT_ONCE)
      await commandOn(database, "load", usersInGroups(users, written));
    await start(usersInGroups(users));
    const loaded = (performance.now() - began) / 1_000;
    log(`${users} users: loaded in ${loaded.toFixed(1)} s`);
    const joined = await start();
    log(`joined in ${(joined.readyMs / 1_000).toFixed(1)} s, load ${loadavg()[0]!.toFixed(1)}`);
    const memory = joined.anonymous();
    const copy = Number(
      execFileSync("du", ["-sk", join(folder, `copy-${users}-1`)], { encoding: "utf8" }).split("\t")[0],
    );
    const exported = await commandOn(
      database,
      "export",
      "--format",
      "json",
      "--output",
      join(folder, "all.json"),
    );
    const checked = await commandOn(database, "check-store");
    log(`export ${exported}, check-store ${checked}`);
    const rates: number[] = [];
    for (const count of FLEETS) {
      while (nodes.length < count) await start();
      rates.push(await writesOf(nodes.slice(0, count), users));
      log(`${count} nodes: ${rates.at(-1)!.toFixed(0)} writes/s`);
    }
    setTimeout(() => ending.abort(), CHECKPOINT_MS).unref();
    const checkpoint = await watched;
    return [
      users.toLocaleString("en"),
      `${loaded.toFixed(1)} s`,
      `${(joined.readyMs / 1_000).toFixed(1)} s`,
      `${memory.toFixed(0)} MiB`,
      `${(copy / 1_024).toFixed(0)} MiB`,
      exported,
      checked,
      checkpoint === undefined ? "none yet" : `${(checkpoint.bytes / MIB).toFixed(0)} MiB`,
      checkpoint === undefined ? "" : `${(checkpoint.ms / 1_000).toFixed(1)} s`,
      rates.map((rate) => rate.toFixed(0)).join(", "),
      loadavg()[0]!.toFixed(1),
    ];
  } finally {
    ending.abort();
    for (const node of nodes) await node.stop();
  }
}

/** Runs a command on a database as an administrator does beside the nodes; returns its memory and CPU time. */
async function commandOn(database: string, ...args: readonly string[]): Promise<string> {
  const command = [process.execPath, program, ...args, "--config", benchNodeConfig({ database })];
  // Its copy of the directory is no file in memory.
  const env = { ...process.env, TMPDIR: folder };
  const { code, output, anonymous, cpuSeconds } = await measured(command, env, folder);
  if (code !== 0) throw new Error(`${args[0]}: ${output.slice(-1_000)}`);
  return `${anonymous} MiB, ${cpuSeconds.toFixed(1)} s`;
}

/** Writes a second of some nodes together, each with users of its own and its part of the callers. */
async function writesOf(nodes: readonly StartedServer[], users: number): Promise<number> {
  const part = Math.floor(users / MOST_PARTS);
  const results = await Promise.all(
    nodes.map((node, index) => {
      // Fleets of another size have other users, so that each call is a write.
      const first = (nodes.length - 1 + index) * part;
      const calls = Array.from(
        { length: part },
        (_, one) => ["PUT", `/users/${userName(first + one)}/policies/Beside`] as const,
      );
      return writeTo(node, { calls, connections: WRITERS / nodes.length, seconds: SECONDS });
    }),
  );
  return results.map(({ perSecond }) => perSecond).reduce((sum, one) => sum + one, 0);
}

/** A checkpoint as it is in the database. */
interface WrittenCheckpoint {
  readonly bytes: number;
  /** Milliseconds from its first piece until it counts. */
  readonly ms: number;
}

/** Waits for the first checkpoint of a log; undefined where there is none by the end. */
async function firstCheckpoint(database: string, ended: AbortSignal): Promise<WrittenCheckpoint | undefined> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  /** The answer to a question with one number; 0 while there is no table yet. */
  const number = async (sql: string): Promise<number> => {
    const { rows } = await client.query(sql).catch((error: { readonly code?: string }) => {
      if (error.code === NO_TABLE) return { rows: [] };
      throw error;
    });
    return Number(rows[0]?.number ?? 0);
  };
  const seen = async (table: string): Promise<number> => {
    while (!ended.aborted && (await number(`SELECT 1 AS number FROM ${table} LIMIT 1`)) === 0)
      await delay(LOOK_MS);
    return performance.now();
  };
  try {
    const began = await seen("svc_authorizer_piece");
    const ms = (await seen("svc_authorizer_checkpoint")) - began;
    const bytes = await number(
      "SELECT sum(length(item)) AS number FROM svc_authorizer_piece WHERE number = (SELECT max(number) FROM svc_authorizer_checkpoint)",
    );
    return bytes === 0 ? undefined : { bytes, ms };
  } finally {
    await client.end();
  }
}
