/**
 * Positions through a rolling upgrade (spec/journal §6): nodes, decision points and clients of the commit before positions
 * named their entries, beside those of this one, over one PostgreSQL that also loses entries.
 */

import { type ChildProcess, execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AuthorizerClient } from "@svc-authorizer/client/client.ts";
import { EmbeddedAuthorizer } from "@svc-authorizer/client/embedded/embedded-authorizer.ts";
import { afterAll, expect, it } from "vitest";
import { cleanUp, newFolder, type RunningProgram, run, start } from "../../end-to-end/program.ts";
import { type PostgresCluster, postgresBin, startPostgres } from "../../journal/postgres-cluster.ts";
import { Fleet } from "../fleet.ts";
import { CuttingProxy } from "./service.ts";

/** The last commit before positions named their entries. */
const BEFORE = "859396fa";
const ROOT = new URL("../../..", import.meta.url).pathname;
const TOKEN = "a-token-that-only-this-proof-knows-0123456789";
const USERS = ["u0", "u1", "u2"];
const RESOURCE = "arn:svc:fs:::repository/r/object/o";
const PATIENCE_MS = 60_000;

const canRun = postgresBin() !== undefined && hasHistory();
const closing: (() => unknown)[] = [];
let cluster: PostgresCluster | undefined;
afterAll(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  cleanUp();
  await cluster?.close();
});

function hasHistory(): boolean {
  try {
    execFileSync("git", ["cat-file", "-e", `${BEFORE}^{commit}`], { cwd: ROOT, stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** A folder with the program of the commit before. */
function programBefore(): string {
  const folder = join(newFolder(), "before");
  mkdirSync(folder);
  const packed = execFileSync("git", ["archive", BEFORE, "src", "bin", "policies", "package.json"], {
    cwd: ROOT,
    maxBuffer: 256 * 1024 * 1024,
  });
  execFileSync("tar", ["-x", "-C", folder], { input: packed });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(
    join(folder, "readers.ts"),
    `import { AuthorizerClient } from "./src/client/client.ts";
import { EmbeddedAuthorizer } from "./src/client/embedded/embedded-authorizer.ts";
const [url, token] = process.argv.slice(2) as [string, string];
const client = new AuthorizerClient({ url, token, cache: { onError: () => {} } });
const point = await EmbeddedAuthorizer.follow({ url, token });
process.on("message", async ([of, user, resource]: [string, string, string]) => {
  try {
    process.send!(of === "point"
      ? point.allows(user, "fs:ReadObject", resource)
      : await client.allows(user, "fs:ReadObject", resource));
  } catch (error) {
    process.send!(String(error));
  }
});
process.on("disconnect", () => process.exit(0));
process.send!("ready");
`,
  );
  return folder;
}

/** Readers of the commit before, in a process of their own. */
async function readersBefore(folder: string, url: string): Promise<ChildProcess> {
  const child = fork(join(folder, "readers.ts"), [url, TOKEN], { cwd: folder });
  closing.push(() => child.kill("SIGKILL"));
  await once(child, "message");
  return child;
}

/** One address before nodes, which take turns; every third connection is cut soon. Without nodes it refuses. */
function balancer(nodes: () => readonly RunningProgram[]): CuttingProxy {
  let turn = 0;
  const proxy = new CuttingProxy(
    () => nodes()[turn++ % nodes().length]?.service,
    () => (turn % 3 === 0 ? 700 : Number.POSITIVE_INFINITY),
  );
  closing.push(() => proxy.close());
  return proxy;
}

const answersOf = async (ask: (user: string) => unknown): Promise<string> => {
  const said: string[] = [];
  for (const user of USERS) said.push(String(await ask(user)));
  return said.join(" ");
};

it.skipIf(!canRun)(
  "the version before and this one answer alike, as nodes and as readers, also after entries were lost",
  async () => {
    cluster = await startPostgres();
    const fleet = await Fleet.start(cluster, 0, { "ui.enabled": false });
    const before = programBefore();
    const startBefore = () =>
      start(["--config", fleet.config], fleet.folder, {}, join(before, "src", "main.ts"));
    // The version before makes the log.
    let nodes: RunningProgram[] = [await startBefore(), await fleet.startNode()];
    // The version before does not notice that the number of its position was given to another entry: through one of
    // its own nodes its readers then keep what they had. A node of this version is to send them everything anew.
    let nodesForBefore = nodes;
    const [proxy, proxyBefore] = [balancer(() => nodes), balancer(() => nodesForBefore)];
    const url = await proxy.listen();
    await fleet.makePolicy();
    for (const username of USERS) {
      expect(await fleet.write(nodes[0]!.service, "POST", "/users", { username })).toBe(201);
    }
    const point = await EmbeddedAuthorizer.follow({ url, token: TOKEN });
    const client = new AuthorizerClient({ url, token: TOKEN, cache: { onError: () => {} } });
    closing.push(
      () => point.close(),
      () => client.close(),
    );
    const child = await readersBefore(before, await proxyBefore.listen());
    const askBefore = async (of: string, user: string): Promise<unknown> => {
      child.send([of, user, RESOURCE]);
      return (await once(child, "message"))[0];
    };
    const readers: Record<string, (user: string) => unknown> = {
      "the decision point": (user) => point.allows(user, "fs:ReadObject", RESOURCE),
      "the client": (user) => client.allows(user, "fs:ReadObject", RESOURCE).catch(String),
      "the decision point of the version before": (user) => askBefore("point", user),
      "the client of the version before": (user) => askBefore("client", user),
    };
    /** Waits until every reader says what both nodes say. */
    const agree = async (users: readonly string[]): Promise<void> => {
      const wanted = await answersOf((user) => users.includes(user));
      for (const { service } of nodes) {
        await expect
          .poll(() => answersOf((user) => fleet.mayRead(service, user)), { timeout: PATIENCE_MS })
          .toBe(wanted);
      }
      for (const [name, ask] of Object.entries(readers)) {
        await expect.poll(() => answersOf(ask), { timeout: PATIENCE_MS, message: name }).toBe(wanted);
      }
    };
    const set = async (node: number, user: string, has: boolean): Promise<void> => {
      const path = `/users/${user}/policies/Read`;
      const status = await fleet.write(nodes[node % nodes.length]!.service, has ? "PUT" : "DELETE", path);
      expect([201, 204]).toContain(status);
    };

    const newest = async (): Promise<number> => {
      const answer = await fleet.call(nodes[0]!.service, "GET", "/api/v1/auth/users/u0");
      await answer.arrayBuffer();
      return Number.parseInt(answer.headers.get("x-svc-revision")!, 10);
    };

    await set(0, "u0", true);
    await set(1, "u1", true);
    await agree(["u0", "u1"]);
    proxy.cut();
    proxyBefore.cut();
    await set(1, "u0", false);
    await agree(["u1"]);

    // Entries are lost, and others take their numbers.
    const kept = await newest();
    await set(0, "u2", true);
    await agree(["u1", "u2"]);
    nodesForBefore = [];
    for (const node of nodes) await node.end();
    const { "database.postgres.connection_string": address } = JSON.parse(
      readFileSync(fleet.config, "utf8"),
    ) as Record<string, string>;
    const database = new URL(address!).pathname.slice(1);
    await cluster.query(`DELETE FROM svc_authorizer_entry WHERE number > ${kept}`, database);
    nodes = [await startBefore(), await fleet.startNode()];
    await set(0, "u0", true);
    expect(await newest()).toBeGreaterThan(kept);
    nodesForBefore = nodes.slice(1);
    await agree(["u0", "u1"]);
    await set(1, "u1", false);
    await agree(["u0"]);

    // Ids of events name entries once no node of the version before is left.
    const idOfEvent = async (): Promise<string> => {
      const gone = new AbortController();
      const answer = await fetch(`${nodes.at(-1)!.service}/api/v1/watch`, {
        headers: { authorization: `Bearer ${TOKEN}` },
        signal: gone.signal,
      });
      const { value } = await answer.body!.getReader().read();
      gone.abort();
      return /^id: (.*)$/m.exec(new TextDecoder().decode(value))![1]!;
    };
    expect(await idOfEvent()).toMatch(/^\d+\.[\w-]{8}$/);
    await nodes[0]!.end();
    nodes = [nodes[1]!];
    const upgraded = await run(["journal", "upgrade", "--config", fleet.config], fleet.folder);
    expect([upgraded.code, upgraded.stderr]).toEqual([0, expect.any(String)]);
    await expect.poll(idOfEvent, { timeout: PATIENCE_MS }).toMatch(/^\d+(\.[\w-]{8}){2}$/);
    await set(0, "u2", true);
    await agree(["u0", "u2"]);
  },
  600_000,
);
