/**
 * Proof: a database that is lost, emptied, replaced or put back never takes users away by itself, and never lets a stranger
 * set the directory up (spec/journal §3).
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { cleanUp, newFolder, type RunningProgram } from "../end-to-end/program.ts";
import { postgresBin, startPostgres } from "../journal/postgres-cluster.ts";
import { openedOnce } from "../opened.ts";
import { Fleet } from "./fleet.ts";
import { isWhole, sized } from "./size.ts";

const USERS = sized(20, 2_000);
/** Nodes of the cases that show how a start finds the loss; what nodes do one after the other, the first case shows for all. */
const NODES = sized(1, 2);
const LIMIT_MS = sized(300_000, 900_000);
const TABLES = ["entry", "part", "checkpoint", "piece", "usage", "floor"].map(
  (name) => `svc_authorizer_${name}`,
);
const BREAK =
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'svc-authorizer'";
/** Name of the database of a fleet. */
function databaseOf({ config }: Fleet): string {
  const { "database.postgres.connection_string": url } = JSON.parse(readFileSync(config, "utf8"));
  return new URL(url).pathname.slice(1);
}

const LOOKS = { interval: 100 };

/** Ways in which the log goes away, and how many nodes lose it. */
const LOSSES: readonly { readonly name: string; readonly sql: string; readonly nodes: number }[] = [
  { name: "its tables are dropped", sql: `DROP TABLE ${TABLES.join(", ")}`, nodes: 2 },
  { name: "the table of entries is dropped", sql: "DROP TABLE svc_authorizer_entry", nodes: NODES },
  {
    name: "it is emptied",
    sql: `TRUNCATE ${TABLES.slice(0, 5).join(", ")}; UPDATE svc_authorizer_floor SET floor = 0`,
    nodes: NODES,
  },
];

describe.skipIf(postgresBin() === undefined)("proof: a database in the place of another", () => {
  const cluster = openedOnce(() => startPostgres());
  let fleet: Fleet;
  let paths: string[];
  let database: string;
  afterEach(cleanUp);

  const pathOf = (index: number) => ["--authorizer.replication.path", paths[index]!];
  const count = async ({ service }: RunningProgram) => (await fleet.listAll(service, "/users")).length;
  const sql = (text: string) => cluster.query(text, database);

  /** Nodes with copies in folders, and some users. */
  async function startFleet(nodes: number): Promise<void> {
    fleet = await Fleet.start(cluster, 0);
    paths = [newFolder(), newFolder(), newFolder()].map((folder) => join(folder, "copy"));
    database = databaseOf(fleet);
    for (let index = 0; index < nodes; index++) await fleet.startNode(pathOf(index));
    const { service } = fleet.nodes[0]!;
    for (let index = 0; index < USERS; index++)
      expect(await fleet.write(service, "POST", "/users", { username: `u${index}` })).toBe(201);
    await fleet.until(fleet.nodes.at(-1)!.service, `/auth/users/u${USERS - 1}`);
  }

  /** Puts a database in the place of the fleet's, whose nodes lose their connections. */
  async function putInPlace(name: string): Promise<void> {
    await cluster.query(`ALTER DATABASE ${database} ALLOW_CONNECTIONS false`);
    await cluster.query(BREAK);
    await cluster.query(`ALTER DATABASE ${database} RENAME TO ${database}_gone`);
    await cluster.query(`ALTER DATABASE ${name} RENAME TO ${database}`);
  }

  /** A database that another fleet has used. */
  async function otherDatabase(): Promise<string> {
    const other = await Fleet.start(cluster, 1);
    const [node] = other.nodes as [RunningProgram];
    expect(await other.write(node.service, "POST", "/users", { username: "stranger" })).toBe(201);
    await node.end("SIGTERM");
    return databaseOf(other);
  }

  /** Restarts the second node, if there is one, then all at once after a kill; each keeps its users. */
  async function expectUsersThroughRestarts(): Promise<void> {
    const nodes = [...fleet.nodes];
    for (const node of nodes) expect(await count(node)).toBe(USERS);
    expect(await fleet.write(nodes[0]!.service, "POST", "/users", { username: "new" })).toBe(503);
    if (nodes[1] !== undefined) {
      await nodes[1].end("SIGTERM");
      nodes[1] = await fleet.startNode(pathOf(1));
      expect(await count(nodes[1])).toBe(USERS);
    }
    // All nodes at once: killed, and started again before the database is back.
    await Promise.all(nodes.map((node) => node.end("SIGKILL")));
    for (const index of nodes.keys()) nodes[index] = await fleet.startNode(pathOf(index));
    for (const node of nodes) expect(await count(node)).toBe(USERS);
  }

  /** The start of a node without a copy, which begins no log. */
  async function expectNoFreshLog(): Promise<void> {
    await expect(fleet.startNode(pathOf(2))).rejects.toThrow(/no new one is begun|no log any more|is gone/);
  }

  it.each(LOSSES)(
    "no user goes and no set-up is offered when $name, with restarts",
    async ({ sql: loss, nodes }) => {
      await startFleet(nodes);
      await sql(loss);
      await sql(BREAK);
      // A fresh node comes first, and makes the tables.
      await expectNoFreshLog();
      await expectUsersThroughRestarts();
      if (nodes > 1) await expectNoFreshLog();
    },
    LIMIT_MS,
  );

  it(
    "no user goes and no set-up is offered when an empty database is in its place, with restarts",
    async () => {
      await startFleet(NODES);
      await putInPlace(new URL(await cluster.newDatabase()).pathname.slice(1));
      await expectNoFreshLog();
      await expectUsersThroughRestarts();
      if (isWhole) await expectNoFreshLog();
    },
    LIMIT_MS,
  );

  it(
    "no user goes when another fleet's database is in its place, with restarts",
    async () => {
      await startFleet(NODES);
      await putInPlace(await otherDatabase());
      // A fresh node starts first: it has the other log, and no set-up of it.
      const fresh = await fleet.startNode(pathOf(2));
      expect(await fleet.users(fresh.service)).toEqual(new Set(["stranger"]));
      await fresh.end("SIGTERM");
      fleet.nodes.pop();
      await expectUsersThroughRestarts();
    },
    LIMIT_MS,
  );

  it(
    "an older backup in its place is followed, and every lost entry is in the file of each node",
    async () => {
      await startFleet(2);
      const [one, other] = fleet.nodes as [RunningProgram, RunningProgram];
      await sql("CREATE TABLE backup AS TABLE svc_authorizer_entry");
      for (const index of [1, 2, 3])
        expect(await fleet.write(one.service, "POST", "/users", { username: `lost${index}` })).toBe(201);
      expect(await fleet.write(one.service, "DELETE", "/users/u0")).toBe(204);
      await fleet.until(other.service, "/auth/users/lost3");
      await expect.poll(() => count(other), LOOKS).toBe(USERS + 2);
      await sql(
        "BEGIN; TRUNCATE svc_authorizer_entry; INSERT INTO svc_authorizer_entry TABLE backup; COMMIT",
      );
      for (const node of [one, other]) await expect.poll(() => count(node), LOOKS).toBe(USERS);
      for (const path of paths.slice(0, 2)) {
        const files = () => readdirSync(path).filter((name) => /^lost-.*\.ndjson$/.test(name));
        await expect.poll(files, LOOKS).toHaveLength(1);
        const text = readFileSync(join(path, files()[0]!), "utf8");
        const lines = text
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line));
        // The upkeep of the node may have committed something of its own.
        expect(lines.filter(({ kind }) => kind === "entry").length).toBeGreaterThanOrEqual(4);
        for (const index of [1, 2, 3]) expect(text).toContain(`"lost${index}"`);
        expect(lines.some(({ kind, partition }) => kind === "delete" && partition === "user")).toBe(true);
        expect(lines.at(-1)).toMatchObject({ kind: "end" });
      }
      expect(await fleet.write(one.service, "POST", "/users", { username: "later" })).toBe(201);
      await fleet.until(other.service, "/auth/users/later");
    },
    LIMIT_MS,
  );
});
