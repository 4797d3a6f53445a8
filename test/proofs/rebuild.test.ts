/**
 * Proof: while a node makes its copy anew it answers from the former one, and says so: nothing is answered from a state that is
 * not whole (spec/journal §3).
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { afterEach, describe, expect, it } from "vitest";
import { cleanUp, newFolder, type RunningProgram } from "../end-to-end/program.ts";
import { postgresBin, startPostgres } from "../journal/postgres-cluster.ts";
import { openedOnce } from "../opened.ts";
import { Fleet } from "./fleet.ts";
import { sized } from "./size.ts";

const USERS = sized(20, 2_000);
const POSITION = /^[1-9]\d*\.[\w-]{8}$/;

describe.skipIf(postgresBin() === undefined)("proof: a copy that is made anew", () => {
  const cluster = openedOnce(() => startPostgres());
  let fleet: Fleet;
  let session: pg.Client;
  afterEach(async () => {
    await session.end();
    await cleanUp();
  });

  const write = (service: string, method: string, path: string, body?: unknown) =>
    fleet.write(service, method, path, body);
  const told = async ({ service }: RunningProgram): Promise<string> =>
    (await fetch(`${service}/readyz?verbose`)).text();
  const count = async ({ service }: RunningProgram) => (await fleet.listAll(service, "/users")).length;
  const scraped = async ({ metrics }: RunningProgram) => (await fetch(`${metrics}/metrics`)).text();

  /** Two nodes, one with its copy in a folder; a log with a checkpoint; `u0` reads. */
  async function startFleet(items: object = {}): Promise<readonly RunningProgram[]> {
    fleet = await Fleet.start(cluster, 1, { "authorizer.replication.checkpoint_every": 10, ...items });
    await fleet.startNode(["--authorizer.replication.path", join(newFolder(), "copy")]);
    const { "database.postgres.connection_string": url } = JSON.parse(readFileSync(fleet.config, "utf8"));
    session = new pg.Client(url);
    await session.connect();
    await fleet.makePolicy();
    const { service } = fleet.nodes[0]!;
    for (let index = 0; index < USERS; index++)
      expect(await write(service, "POST", "/users", { username: `u${index}` })).toBe(201);
    expect(await write(service, "PUT", "/users/u0/policies/Read")).toBe(201);
    const checkpoints = async () =>
      (await session.query("SELECT 1 FROM svc_authorizer_checkpoint")).rowCount ?? 0;
    await expect.poll(checkpoints).toBeGreaterThan(0);
    return fleet.nodes;
  }

  /** An older backup takes the log's place, and nobody can read the pieces of its checkpoint: every node stands in the middle. */
  async function hangInRebuild(): Promise<void> {
    await session.query("BEGIN; LOCK TABLE svc_authorizer_piece IN ACCESS EXCLUSIVE MODE");
    await cluster.query(
      "BEGIN; TRUNCATE svc_authorizer_entry; INSERT INTO svc_authorizer_entry TABLE backup; COMMIT",
      session.database,
    );
  }

  it("answers as before until it is whole, and says that it is not the newest", async () => {
    const nodes = await startFleet();
    await session.query("CREATE TABLE backup AS TABLE svc_authorizer_entry");
    const { service } = nodes[0]!;
    expect(await write(service, "PUT", "/users/u1/policies/Read")).toBe(201);
    for (const node of nodes) await expect.poll(() => fleet.mayRead(node.service, "u1")).toBe(true);

    await hangInRebuild();
    for (const node of nodes) {
      await expect.poll(() => told(node)).toContain("makes a new copy");
      expect((await fetch(`${node.service}/readyz`)).status).toBe(200);
      expect(await fleet.mayRead(node.service, "u0")).toBe(true);
      expect(await fleet.mayRead(node.service, "u1")).toBe(true);
      expect(await fleet.mayRead(node.service, "u2")).toBe(false);
      expect(await count(node)).toBe(USERS);
      const read = await fleet.call(node.service, "GET", "/api/v1/auth/users/u1");
      expect(read.status).toBe(200);
      expect(read.headers.get("x-svc-revision")).toMatch(POSITION);
      expect(await scraped(node)).toContain('copy_state{kind="rebuilding"} 1');
      // It cannot know whether there is anything to do.
      expect(await write(node.service, "DELETE", "/users/u2/policies/Read")).toBe(503);
      expect(await write(node.service, "PUT", "/users/u2/policies/Read")).toBe(503);
    }

    await session.query("ROLLBACK");
    for (const node of nodes) {
      await expect.poll(() => fleet.mayRead(node.service, "u1")).toBe(false);
      expect(await fleet.mayRead(node.service, "u0")).toBe(true);
      expect(await count(node)).toBe(USERS);
      await expect.poll(() => told(node)).not.toContain("makes a new copy");
    }
    expect(await write(service, "PUT", "/users/u1/policies/Read")).toBe(201);
    for (const node of nodes) await expect.poll(() => fleet.mayRead(node.service, "u1")).toBe(true);
  }, 600_000);

  it("that hangs for longer than max_staleness stops the decisions, until it is whole", async () => {
    const nodes = await startFleet({ "authorizer.replication.max_staleness": "4s" });
    await session.query("CREATE TABLE backup AS TABLE svc_authorizer_entry");
    const { service } = nodes[0]!;
    expect(await write(service, "PUT", "/users/u1/policies/Read")).toBe(201);
    for (const node of nodes) await expect.poll(() => fleet.mayRead(node.service, "u1")).toBe(true);
    await hangInRebuild();
    for (const node of nodes) {
      await expect.poll(() => told(node)).toContain("makes a new copy");
      await expect.poll(() => fleet.mayRead(node.service, "u1")).toBe(503);
      // It stays so, and for what was never allowed, too.
      await setTimeout(2_000);
      expect(await fleet.mayRead(node.service, "u0")).toBe(503);
      expect(await fleet.mayRead(node.service, "u2")).toBe(503);
      expect((await fetch(`${node.service}/readyz`)).status).toBe(503);
      expect((await fleet.call(node.service, "GET", "/api/v1/auth/users/u1")).status).toBe(503);
    }
    await session.query("ROLLBACK");
    for (const node of nodes) {
      await expect.poll(() => fleet.mayRead(node.service, "u0")).toBe(true);
      expect(await fleet.mayRead(node.service, "u1")).toBe(false);
      // It asks the store at most once a second.
      await expect.poll(async () => (await fetch(`${node.service}/readyz`)).status).toBe(200);
    }
  }, 600_000);
});
