import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PostgresCluster, postgresBin, startPostgres } from "../../journal/postgres-cluster.ts";
import { Fleet } from "../../proofs/fleet.ts";
import { cleanUp, type RunningProgram } from "../program.ts";

const KEY = "AKIAJROOTROOTROOTROQ";
const SECRET = "a-secret-of-root-0123456789";

describe.skipIf(postgresBin() === undefined)("use on two nodes of one PostgreSQL", () => {
  let cluster: PostgresCluster;
  let fleet: Fleet;
  beforeAll(async () => {
    cluster = await startPostgres();
    fleet = await Fleet.start(cluster, 0, { "authorizer.usage.interval": "200ms" });
    await startNode("n1");
    await startNode("n2");
  });
  afterAll(async () => {
    cleanUp();
    await cluster.close();
  });

  function startNode(name: string): Promise<RunningProgram> {
    return fleet.startNode([
      `--authorizer.node_name=${name}`,
      `--authorizer.decision_log.directory=${join(fleet.folder, name)}`,
    ]);
  }

  interface Use {
    readonly uses: number;
    readonly last_used?: number;
  }

  async function asked(node: RunningProgram, path: string): Promise<{ results: (Use & { id: string })[] }> {
    const authorization = `Basic ${Buffer.from(`${KEY}:${SECRET}`).toString("base64")}`;
    const answer = await fetch(`${node.user}/api/v1${path}`, { headers: { authorization } });
    const text = await answer.text();
    expect(answer.status, text).toBe(200);
    return JSON.parse(text);
  }

  const usesOf = async (node: RunningProgram, user: string): Promise<number> =>
    (await asked(node, `/auth/users?last_used=true&prefix=${user}`)).results[0]?.uses ?? Number.NaN;

  it("is told from each to the other, and outlives the node that counted it", async () => {
    const [one, two] = fleet.nodes as [RunningProgram, RunningProgram];
    const write = async (path: string, body?: object): Promise<void> => {
      expect(await fleet.write(one.service, body === undefined ? "PUT" : "POST", path, body)).toBe(201);
    };
    await write("/users", { username: "root" });
    await write("/users", { username: "alice" });
    await write("/users", { username: "bob" });
    await write("/policies", { name: "All", statement: [{ effect: "allow", action: ["*"], resource: "*" }] });
    await write("/users/root/policies/All");
    await write("/users/alice/policies/All");
    await write(`/users/root/credentials?access_key=${KEY}&secret_key=${SECRET}`, {});
    await fleet.until(two.service, `/auth/users/root/credentials/${KEY}`);
    await fleet.until(two.service, "/auth/users/alice");
    for (let time = 0; time < 3; time++) expect(await fleet.mayRead(one.service, "alice")).toBe(true);
    for (let time = 0; time < 2; time++) expect(await fleet.mayRead(two.service, "alice")).toBe(true);
    for (const node of [one, two]) {
      while ((await usesOf(node, "alice")) !== 5) await delay(100);
      expect(await usesOf(node, "bob")).toBe(0);
    }
    const { results } = await asked(two, "/auth/access/unused?kind=user");
    expect(results.map(({ id }) => id)).toEqual(["bob"]);
    const { nodes } = (await asked(two, "/auth/access/unused?amount=1")) as unknown as { nodes: object[] };
    expect(nodes).toMatchObject([{ node: "n1" }, { node: "n2" }]);
    expect(await one.end()).toBe(0);
    expect(await usesOf(two, "alice")).toBe(5);
  });
});
