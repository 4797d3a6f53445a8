/**
 * `npm run bench -- --sizes`: directories of many users on one PostgreSQL: how long they load and join, what they weigh, and
 * how many writes one, two and four nodes make. `BENCH_USERS` names the sizes.
 */

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type PostgresCluster, postgresBin, startPostgres } from "../test/journal/postgres-cluster.ts";
import { folder } from "./authorizer.ts";
import { numberOf, startBenchNode, userName, usersInGroups, writeTo } from "./bench-node.ts";
import { onAllCores, type StartedServer } from "./processes.ts";

const SIZES = (process.env["BENCH_USERS"] ?? "100000,1000000").split(",").map(Number);
const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 5);
const FLEETS = [1, 2, 4];
const WRITERS = 32;
/** Parts of the users: one for each node of each fleet. */
const MOST_PARTS = 1 + 2 + 4;
const MIB = 1024 ** 2;
/** Time in which a checkpoint appears that is due, in milliseconds. */
const CHECKPOINT_MS = 120_000;

/** Figures of one directory, as text. */
export type SizeRow = readonly string[];

/** Headings of {@link SizeRow}. */
export const SIZE_HEADINGS = [
  "Users",
  "First node loads them",
  "A node joins",
  "Memory of a node (RssAnon)",
  "Its copy",
  "A checkpoint",
  "Writes/s of 1, 2 and 4 nodes",
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
  const start = async (dataset?: string): Promise<StartedServer> => {
    const path = join(folder, `copy-${users}-${nodes.length}`);
    const replication = { path, checkpoint_every: 1_000 };
    const node = await startBenchNode({ database, replication, ...(dataset !== undefined && { dataset }) });
    nodes.push(node);
    return node;
  };
  try {
    const first = await start(usersInGroups(users));
    log(`${users} users: loaded in ${(first.readyMs / 1_000).toFixed(1)} s`);
    const joined = await start();
    log(`joined in ${(joined.readyMs / 1_000).toFixed(1)} s`);
    const memory = joined.anonymous();
    const copy = Number(
      execFileSync("du", ["-sk", join(folder, `copy-${users}-1`)], { encoding: "utf8" }).split("\t")[0],
    );
    const rates: number[] = [];
    for (const count of FLEETS) {
      while (nodes.length < count) await start();
      rates.push(await writesOf(nodes.slice(0, count), users));
      log(`${count} nodes: ${rates.at(-1)!.toFixed(0)} writes/s`);
    }
    const checkpoint = await checkpointBytes(cluster, database);
    return [
      users.toLocaleString("en"),
      `${(first.readyMs / 1_000).toFixed(1)} s`,
      `${(joined.readyMs / 1_000).toFixed(1)} s`,
      `${memory.toFixed(0)} MiB`,
      `${(copy / 1_024).toFixed(0)} MiB`,
      checkpoint === 0 ? "none yet" : `${(checkpoint / MIB).toFixed(0)} MiB`,
      rates.map((rate) => rate.toFixed(0)).join(", "),
    ];
  } finally {
    for (const node of nodes) await node.stop();
  }
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

/** Bytes of the newest checkpoint; 0 where none was due. */
async function checkpointBytes(cluster: PostgresCluster, database: string): Promise<number> {
  const sql =
    "SELECT coalesce(sum(length(item)), 0) FROM svc_authorizer_piece WHERE number = (SELECT max(number) FROM svc_authorizer_checkpoint)";
  for (const end = performance.now() + CHECKPOINT_MS; performance.now() < end; await delay(500)) {
    const bytes = numberOf(cluster, database, sql);
    if (bytes > 0) return bytes;
  }
  return 0;
}
