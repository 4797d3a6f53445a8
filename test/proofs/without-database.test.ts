/** Proof: nodes that start while their database is away, and what a node says that was without it for too long (spec/journal §3). */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cleanUp, newFolder, type RunningProgram } from "../end-to-end/program.ts";
import { postgresBin, startPostgres } from "../journal/postgres-cluster.ts";
import { openedOnce } from "../opened.ts";
import { Fleet } from "./fleet.ts";

interface Body {
  readonly [name: string]: unknown;
  readonly database?: Readonly<Record<string, string>> | string;
}

const LOOKS = { interval: 100 };
const TABLES = ["entry", "part", "checkpoint", "piece", "usage", "floor"].map(
  (name) => `svc_authorizer_${name}`,
);
const ADMIN = { access_key_id: "AKIAJADMINADMINADMIQ", secret_access_key: "a-secret-of-the-administrator" };

describe.skipIf(postgresBin() === undefined)("proof: starts without the database", () => {
  const cluster = openedOnce(() => startPostgres());
  let fleet: Fleet;
  let paths: string[];
  let database: string;
  beforeEach(async () => {
    await cluster.start();
  });
  afterEach(cleanUp);

  const startNode = (index: number, args: readonly string[] = []) =>
    fleet.startNode(["--authorizer.replication.path", paths[index]!, ...args]);
  const verbose = async ({ service }: RunningProgram) => {
    const answer = await fetch(`${service}/readyz?verbose`);
    return { status: answer.status, body: (await answer.json()) as Body };
  };
  const json = async (url: string, init?: RequestInit) => {
    const answer = await fetch(url, init);
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, json: JSON.parse(text) as Body };
  };

  /** A fleet of two with copies, whose user `reader` may read. */
  async function startFleet(items: object = {}): Promise<void> {
    fleet = await Fleet.start(cluster, 0, items);
    paths = [0, 1, 2].map(() => join(newFolder(), "copy"));
    const { "database.postgres.connection_string": url } = JSON.parse(readFileSync(fleet.config, "utf8"));
    database = new URL(url).pathname.slice(1);
    for (const index of [0, 1]) await startNode(index);
    const [one, other] = fleet.nodes as [RunningProgram, RunningProgram];
    await fleet.makePolicy();
    expect(await fleet.write(one.service, "POST", "/users", { username: "reader" })).toBe(201);
    expect(await fleet.write(one.service, "PUT", "/users/reader/policies/Read")).toBe(201);
    for (const { service } of [one, other])
      await expect.poll(() => fleet.mayRead(service, "reader"), LOOKS).toBe(true);
  }

  async function endAll(): Promise<void> {
    const [one, other] = fleet.nodes.splice(0) as [RunningProgram, RunningProgram];
    await Promise.all([one.end("SIGTERM"), other.end("SIGKILL")]);
  }

  it("a node with a copy answers and says so, changes nothing, and a fresh node begins no log afterwards", async () => {
    await startFleet();
    await endAll();
    await cluster.stop();
    for (const index of [0, 1]) {
      const node = await startNode(index);
      expect(await fleet.mayRead(node.service, "reader")).toBe(true);
      expect(await fleet.mayRead(node.service, "nobody")).toBe(false);
      expect([...(await fleet.users(node.service))]).toEqual(["reader"]);
      expect(await fleet.write(node.service, "POST", "/users", { username: "new" })).toBe(503);
      const { status, body } = await verbose(node);
      expect([status, body.database]).toEqual([
        200,
        expect.stringMatching(
          /^The database cannot be reached since .*Decisions go on from this node's copy until .*changes are refused\.$/,
        ),
      ]);
      expect(node.stderr() + node.stdout()).toContain(
        "this node answers from the copy of the process before",
      );
    }
    await expect(startNode(2)).rejects.toThrow("database");
    // The database is back, and empty; a node without a copy comes first.
    await cluster.start();
    await cluster.query(`DROP TABLE IF EXISTS ${TABLES.join(", ")}`, database);
    await expect(startNode(2)).rejects.toThrow(/no new one is begun|no log any more|is gone/);
    for (const node of fleet.nodes) {
      expect(await fleet.mayRead(node.service, "reader")).toBe(true);
      expect([...(await fleet.users(node.service))]).toEqual(["reader"]);
      await expect.poll(async () => (await verbose(node)).body.database, LOOKS).toContain("no log");
      expect(node.stdout() + node.stderr()).not.toMatch(/set-up token/i);
    }
  });

  it("where all nodes are down, no node begins a log with create_log: false, and nodes with a copy go on", async () => {
    const noLog = ["--authorizer.replication.create_log=false"];
    await startFleet();
    await endAll();
    await cluster.query(`DROP TABLE ${TABLES.join(", ")}`, database);
    await expect(startNode(2, noLog)).rejects.toThrow("authorizer.replication.create_log is false");
    const node = await startNode(0, noLog);
    expect(await fleet.mayRead(node.service, "reader")).toBe(true);
    await expect(startNode(2, noLog)).rejects.toThrow(/create_log is false|nodes have copies of log/);
    expect(await fleet.mayRead(node.service, "reader")).toBe(true);
  });

  it("from max_staleness on nothing is answered but the state: what is wrong, since when, and no data", async () => {
    await startFleet({ "authorizer.replication.max_staleness": "4s" });
    const [node] = fleet.nodes as [RunningProgram];
    expect(await fleet.write(node.service, "POST", "/users/reader/credentials")).toBe(201);
    await cluster.stop();
    await expect.poll(() => fleet.mayRead(node.service, "reader"), LOOKS).toBe(503);
    const decision = await fleet.call(node.service, "GET", "/api/v1/auth/users/reader");
    expect(await decision.text()).toContain("The database cannot be reached since");
    const headers = { Authorization: `Basic ${btoa(`${ADMIN.access_key_id}:${ADMIN.secret_access_key}`)}` };
    for (const init of [{}, { headers }]) {
      const { status, json: found, headers: given } = await json(`${node.user}/api/v1/auth/status`, init);
      expect([status, Object.keys(found).sort()]).toEqual([200, ["database", "ready", "reasons"]]);
      expect(found).toMatchObject({
        ready: false,
        database: {
          trouble: "away",
          message: expect.stringMatching(/^The database cannot be reached since .* Decisions stopped at .*/),
        },
      });
      const database = found.database as Readonly<Record<string, string>>;
      expect(found["reasons"]).toEqual([database["message"]]);
      expect(Date.parse(database["decisions_stop_at"]!)).toBeLessThanOrEqual(Date.now());
      expect(Date.parse(database["since"]!)).toBeLessThanOrEqual(Date.now());
      expect([given.get("X-Svc-Revision"), given.get("X-Svc-Position")]).toEqual([null, null]);
    }
    expect((await json(`${node.user}/api/v1/user`, { headers })).status).toBe(503);
    const { status, body } = await verbose(node);
    expect([status, body["reasons"]]).toEqual([503, [expect.stringContaining("Decisions stopped at")]]);
    // A restart does not make the copy any younger.
    await node.end("SIGKILL");
    await expect(startNode(0)).rejects.toThrow(/database|ECONNREFUSED/);
    await cluster.start();
    const again = await startNode(0);
    expect(await fleet.mayRead(again.service, "reader")).toBe(true);
    expect((await json(`${again.user}/api/v1/auth/status`)).status).toBe(401);
  });
});
