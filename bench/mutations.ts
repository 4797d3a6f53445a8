/**
 * `npm run bench -- --mutations`: calls that change nothing, which are answered from proof, beside calls that write: time of
 * one caller, and processor time of the node. `BENCH_LAUNCHER` names the launcher of another version.
 */

import { type PostgresCluster, postgresBin, startPostgres } from "../test/journal/postgres-cluster.ts";
import { startBenchNode, userName, usersInGroups, type WriteLoad, writeTo } from "./bench-node.ts";
import { onAllCores, type StartedServer } from "./processes.ts";

const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 3);
const CALLERS = [1, 32];
/** Users of each load: more than it reaches. */
const PART = 20_000;

/** Headings of the rows. */
export const MUTATION_HEADINGS = ["Calls", "Callers", "Calls/s", "p50 ms", "p99 ms", "CPU of the node"];

/** Measures both kinds of calls on a local store and on PostgreSQL. */
export async function measureMutations(log: (text: string) => void): Promise<readonly (readonly string[])[]> {
  const rows = [...(await onAllCores(() => measureOn("local store", undefined, log)))];
  if (postgresBin() === undefined) return rows;
  const cluster: PostgresCluster = await startPostgres();
  try {
    const database = await cluster.newDatabase();
    return [...rows, ...(await onAllCores(() => measureOn("PostgreSQL", database, log)))];
  } finally {
    await cluster.close();
  }
}

async function measureOn(
  name: string,
  database: string | undefined,
  log: (text: string) => void,
): Promise<readonly (readonly string[])[]> {
  const launcher = process.env["BENCH_LAUNCHER"];
  const node = await startBenchNode({
    dataset: usersInGroups(PART * (2 * CALLERS.length + 1)),
    ...(database !== undefined && { database }),
    ...(launcher !== undefined && { launcher }),
  });
  const path = (index: number): string => `/users/${userName(index)}/policies/Beside`;
  // Each load attaches to users of its own, so that each of its calls is a write.
  const part = (number: number) =>
    Array.from({ length: PART }, (_, one) => ["PUT", path(number * PART + one)] as const);
  const nothing = part(2 * CALLERS.length).map(([, at]) => ["DELETE", at] as const);
  const seconds = SECONDS;
  try {
    const rows: (readonly string[])[] = [];
    for (const [index, connections] of CALLERS.entries()) {
      await writeTo(node, { calls: nothing, connections, seconds: 1 });
      rows.push(await measure(node, `nothing to do, ${name}`, { calls: nothing, connections, seconds }));
      await writeTo(node, { calls: part(2 * index), connections, seconds: 1 });
      rows.push(
        await measure(node, `a write, ${name}`, { calls: part(2 * index + 1), connections, seconds }),
      );
      log(`${name}, ${connections} callers`);
    }
    return rows;
  } finally {
    await node.stop();
  }
}

async function measure(node: StartedServer, name: string, load: WriteLoad): Promise<readonly string[]> {
  const before = node.cpu();
  const { answers, perSecond, p50, p99 } = await writeTo(node, load);
  const cpu = ((node.cpu() - before) * 1e6) / answers;
  return [
    name,
    String(load.connections),
    perSecond.toFixed(0),
    p50.toFixed(1),
    p99.toFixed(1),
    `${cpu.toFixed(0)} µs`,
  ];
}
