import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cleanUp, newFolder, type RunningProgram, run, start, writeConfig } from "../end-to-end/program.ts";
import { openedOnce } from "../opened.ts";
import { postgresBin, startPostgres } from "./postgres-cluster.ts";

const TOKEN = "a-token-that-only-this-test-knows-0123456789";
const KEY = "a-secret-key-that-only-this-test-knows-0123456789";

/** Two processes over one database, as a fleet behind a balancer has them. */
describe.skipIf(postgresBin() === undefined)("two processes on one PostgreSQL", () => {
  const cluster = openedOnce(() => startPostgres());
  let config: string;
  let folder: string;

  beforeEach(async () => {
    folder = newFolder();
    config = writeConfig(folder, {
      listen_address: "127.0.0.1:0",
      "authorizer.listen_address": "127.0.0.1:0",
      "authorizer.metrics_address": "127.0.0.1:0",
      "database.type": "postgres",
      "database.postgres.connection_string": await cluster.newDatabase(),
      "auth.encrypt.secret_key": KEY,
      "auth.api.token": TOKEN,
      "authorizer.replication.commit_timeout": "3s",
    });
  });
  afterEach(cleanUp);

  const startNode = () => start(["--config", config], folder);
  const startBoth = () => Promise.all([startNode(), startNode()]);

  const call = (node: RunningProgram, method: string, path: string, body?: unknown) =>
    fetch(`${node.service}${path}`, {
      method,
      headers: { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  const write = async (node: RunningProgram, method: string, path: string, body?: unknown): Promise<number> =>
    (await call(node, method, `/api/v1${path}`, body)).status;

  const mayRead = async (node: RunningProgram, username: string): Promise<boolean | number> => {
    const answer = await call(node, "POST", "/access/v1/evaluation", {
      subject: { type: "user", id: username },
      action: { name: "fs:ReadObject" },
      resource: { type: "object", id: "arn:svc:fs:::repository/r/object/o" },
    });
    return answer.status === 200 ? ((await answer.json()) as { decision: boolean }).decision : answer.status;
  };

  /** Milliseconds until a node decides so. */
  const until = async (node: RunningProgram, username: string, decision: boolean): Promise<number> => {
    const started = performance.now();
    while ((await mayRead(node, username)) !== decision) {
      expect(performance.now() - started).toBeLessThan(10_000);
      await delay(2);
    }
    return performance.now() - started;
  };

  const makeReader = async (node: RunningProgram, username: string): Promise<void> => {
    expect(await write(node, "POST", "/auth/users", { username })).toBe(201);
    expect(await write(node, "PUT", `/auth/users/${username}/policies/Read`)).toBe(201);
  };

  const makePolicy = (node: RunningProgram) =>
    write(node, "POST", "/auth/policies", {
      name: "Read",
      statement: [{ effect: "allow", action: ["fs:Read*"], resource: "*" }],
    });

  it("a right that one gives or takes is in force on the other, also where it was cached", async () => {
    const nodes = await startBoth();
    const [one, other] = nodes;
    expect(await makePolicy(one)).toBe(201);
    await makeReader(one, "alice");
    const lags = [await until(other, "alice", true)];
    for (let round = 0; round < 10; round++) {
      expect(await write(one, "DELETE", "/auth/users/alice/policies/Read")).toBe(204);
      lags.push(await until(other, "alice", false));
      expect(await write(other, "PUT", "/auth/users/alice/policies/Read")).toBe(201);
      expect(await mayRead(other, "alice")).toBe(true);
      lags.push(await until(one, "alice", true));
    }
    expect(Math.max(...lags)).toBeLessThan(5_000);
    for (const node of nodes) {
      const metrics = await (await fetch(`${node.metrics}/metrics`)).text();
      expect(Number(/^svc_authorizer_log_revision (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThan(20);
      expect(Number(/^svc_authorizer_log_staleness_seconds (\S+)$/m.exec(metrics)?.[1])).toBeLessThan(5);
    }
  });

  it("keep everything acknowledged when either is killed under load", async () => {
    const acknowledged: string[] = [];
    let live: RunningProgram[] = await startBoth();
    let stop = false;
    const writer = async (index: number): Promise<void> => {
      for (let number = 0; !stop; number++) {
        const node = live[(index + number) % live.length]!;
        const username = `u${index}-${number}`;
        const status = await write(node, "POST", "/auth/users", { username }).catch(() => 0);
        if (status === 201) acknowledged.push(username);
        // More writes would show no more: each of them is looked for afterwards.
        await delay(60);
      }
    };
    const writers = Array.from({ length: 6 }, (_, index) => writer(index));
    for (let kill = 0; kill < 3; kill++) {
      await delay(400);
      const [victim, ...rest] = live as [RunningProgram, ...RunningProgram[]];
      await victim.end("SIGKILL");
      live = rest;
      await delay(200);
      live = [...rest, await startNode()];
    }
    stop = true;
    await Promise.all(writers);
    expect(acknowledged.length).toBeGreaterThan(20);
    for (const node of live) {
      const missing: string[] = [];
      for (const username of acknowledged) {
        if ((await call(node, "GET", `/api/v1/auth/users/${username}`)).status !== 200)
          missing.push(username);
      }
      expect(missing).toEqual([]);
    }
    const checked = await run(["check-store", "--config", config], folder);
    expect(checked.stdout + checked.stderr).toMatch(/sound|no contradiction|nothing/i);
    expect(checked.code).toBe(0);
  });

  it("go on deciding while the database is away, refuse writes, and write again once it is back", async () => {
    const nodes = await startBoth();
    const [one, other] = nodes;
    await makePolicy(one);
    await makeReader(one, "alice");
    await until(other, "alice", true);
    await cluster.stop();
    const end = performance.now() + 3_000;
    while (performance.now() < end) {
      for (const node of nodes) expect(await mayRead(node, "alice")).toBe(true);
      const refused = await call(one, "POST", "/api/v1/auth/users", { username: "bob" });
      expect(refused.status).toBe(503);
      expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
      await delay(100);
    }
    await cluster.start();
    await expect
      .poll(() => write(other, "POST", "/auth/users", { username: "carol" }), { interval: 100 })
      .toBe(201);
    await expect.poll(async () => (await call(one, "GET", "/api/v1/auth/users/carol")).status).toBe(200);
  });

  it("let commands work on the directory with the configuration of a node that runs in a folder of its own", async () => {
    const kept = writeConfig(
      folder,
      { ...JSON.parse(readFileSync(config, "utf8")), "authorizer.replication.path": join(folder, "copy") },
      "kept.yaml",
    );
    const node = await start(["--config", kept], folder);
    expect(await write(node, "POST", "/auth/users", { username: "dora" })).toBe(201);
    const command = (...line: string[]) => run([...line, "--config", kept], folder);
    expect((await command("export")).stdout).toContain("dora");
    expect(await command("restore", "--at", "1", "--dry-run")).toMatchObject({ code: 0 });
    expect(await command("check-store")).toMatchObject({ code: 0 });
  });

  it("an import for an empty directory adds nothing to what a node made while it read", async () => {
    const node = await startNode();
    const source = createServer(async ({ url = "" }, response) => {
      if (url.includes("/auth/users")) await makePolicy(node);
      response.end(JSON.stringify({ pagination: { next_offset: "" }, results: [] }));
    });
    source.listen(0, "127.0.0.1");
    await once(source, "listening");
    try {
      const from = `http://127.0.0.1:${(source.address() as AddressInfo).port}/api/v1`;
      const line = ["import", "--from", from, "--token-env", "TOKEN", "--config", config];
      const { code, stderr } = await run(line, folder, { TOKEN: "any" });
      expect(stderr).toContain('somebody made the policy "Read" meanwhile');
      expect(code).toBe(2);
    } finally {
      source.close();
    }
  });

  it("have one set-up token, since a balancer takes the set-up to any of them", async () => {
    const [one, other] = await startBoth();
    for (const node of [one, other]) {
      // They have no folder for a file, and the working directory is none.
      await expect.poll(() => node.stdout()).toContain("set-up token --config FILE");
      expect(existsSync(join(folder, "svc-authorizer-setup-token"))).toBe(false);
    }
    const { stdout: token } = await run(["set-up", "token", "--config", config], folder);
    expect(token).toMatch(/^[\w-]{43}\n$/);
    for (const node of [one, other]) expect(node.stdout()).not.toContain(token.trim());
    const setUp = (node: RunningProgram, setup_token: string) =>
      fetch(`${node.user}/api/v1/setup`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ username: "root", setup_token }),
      });
    expect((await setUp(other, "x".repeat(43))).status).toBe(401);
    expect((await setUp(other, token.trim())).status).toBe(200);
    await expect.poll(async () => (await setUp(one, token.trim())).status).toBe(409);
    expect(await run(["set-up", "token", "--config", config], folder)).toMatchObject({ code: 1, stdout: "" });
  });

  it("a second start with another secret key is refused, naming the item", async () => {
    const other = writeConfig(
      folder,
      { ...JSON.parse(readFileSync(config, "utf8")), "auth.encrypt.secret_key": `${KEY}-2` },
      "other.yaml",
    );
    await startNode();
    const { code, stderr } = await run(["run", "--config", other], folder);
    expect(code).not.toBe(0);
    expect(stderr).toContain("auth.encrypt.secret_key");
  });
});
