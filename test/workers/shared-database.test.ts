/** Workers of nodes that share a PostgreSQL (spec/journal §7), as real processes. */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cleanUp, newFolder, type RunningProgram, start, writeConfig } from "../end-to-end/program.ts";
import { postgresBin, startPostgres } from "../journal/postgres-cluster.ts";
import { openedOnce } from "../opened.ts";
import { ask, askBoth, decision, isWorker, TOKEN, workerPids } from "./worker-requests.ts";

const READ = { name: "Read", statement: [{ effect: "allow", action: ["fs:Read*"], resource: "*" }] };

const api = (node: RunningProgram, method: string, path: string, body?: unknown) =>
  ask(node.service, method, `/api/v1${path}`, body);

/** Workers that serve, and those that took the place of another. */
async function served({ metrics }: RunningProgram): Promise<object> {
  const text = await (await fetch(`${metrics}/metrics`)).text();
  const gauge = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
  return {
    serving: gauge("svc_authorizer_workers"),
    replaced: gauge("svc_authorizer_workers_replaced_total"),
  };
}

describe.skipIf(postgresBin() === undefined)("workers over PostgreSQL", () => {
  const cluster = openedOnce(() => startPostgres());
  let database: string;
  let folder: string;
  beforeEach(async () => {
    database = await cluster.newDatabase();
    folder = newFolder();
  });
  afterEach(cleanUp);

  let nodes = 0;
  const startNode = (more: Record<string, unknown> = {}): Promise<RunningProgram> => {
    const settings = {
      listen_address: "127.0.0.1:0",
      "authorizer.listen_address": "127.0.0.1:0",
      "authorizer.metrics_address": "127.0.0.1:0",
      "authorizer.workers": 2,
      "authorizer.shutdown_delay": "0s",
      "authorizer.audit.output": `${folder}/audit-${nodes}.log`,
      "authorizer.decision_log.directory": `${folder}/decisions-${nodes}`,
      "database.type": "postgres",
      "database.postgres.connection_string": database,
      "auth.encrypt.secret_key": "a-secret-key-that-only-this-test-knows-0123456789",
      "auth.api.token": TOKEN,
      ...more,
    };
    const config = writeConfig(folder, settings, `node-${nodes++}.yaml`);
    return start(["--config", config], folder);
  };

  it("decide alike right after each write on their node, and within a moment after one on another", async () => {
    const one = await startNode();
    const other = await startNode();
    expect((await api(one, "POST", "/auth/policies", READ)).status).toBe(201);
    expect((await api(one, "POST", "/auth/users", { username: "alice" })).status).toBe(201);
    for (let round = 0; round < 10; round++) {
      const grants = round % 2 === 0;
      const method = grants ? "PUT" : "DELETE";
      const wanted = `"decision":${grants}`;
      expect((await api(one, method, "/auth/users/alice/policies/Read")).status).toBeLessThan(300);
      for (const { body } of await askBoth(4, decision(one.service, "alice"))) expect(body).toContain(wanted);
      const seen = async () => (await askBoth(2, decision(other.service, "alice"))).map(({ body }) => body);
      await expect.poll(async () => (await seen()).every((body) => body.includes(wanted))).toBe(true);
    }
    // The newest revision of one node is waited for on the other, which asks the database once.
    const made = await api(one, "POST", "/auth/users", { username: "bob" });
    expect(made.status).toBe(201);
    const { headers } = await fetch(`${one.service}/api/v1/auth/users/bob`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    const minimum = headers.get("x-svc-revision")!;
    const found = () =>
      ask(other.service, "GET", "/api/v1/auth/users/bob", undefined, { "x-svc-min-revision": minimum });
    for (const { status } of await askBoth(2, found)) expect(status).toBe(200);
  });

  it("go on with the copy that replaces the one before, and with their past", async () => {
    const node = await startNode({ "authorizer.replication.path": `${folder}/copy` });
    await api(node, "POST", "/auth/policies", READ);
    await api(node, "POST", "/auth/users", { username: "alice" });
    await api(node, "PUT", "/auth/users/alice/policies/Read");
    for (const { body } of await askBoth(2, decision(node.service, "alice")))
      expect(body).toContain('"decision":true');
    // The log goes back to a time without the policy, as after a restored backup: the copy is made anew.
    const revision = Number(/"revision":(\d+)/.exec((await watchOnce(node)) ?? "")?.[1]);
    await cluster.query(
      `DELETE FROM svc_authorizer_entry WHERE number = ${revision}`,
      new URL(database).pathname.slice(1),
    );
    await cluster.stop();
    await cluster.start();
    const refused = async () => (await askBoth(2, decision(node.service, "alice"))).map(({ body }) => body);
    await expect
      .poll(async () => (await refused()).every((body) => body.includes('"decision":false')))
      .toBe(true);
    // A connection that the restart broke may be noticed by a write.
    const write = async (number: number) => {
      const { status, body } = await api(node, "POST", "/auth/users", { username: `after-${number}` });
      return `${status} ${body}`;
    };
    let written = 0;
    await expect.poll(() => write(++written)).toMatch(/^201 /);
    for (const { status } of await askBoth(2, () => api(node, "GET", `/auth/users/after-${written}`))) {
      expect(status).toBe(200);
    }
  });

  it("answer without the database until the copy is too old, also a worker that was replaced meanwhile", async () => {
    const node = await startNode({
      "authorizer.replication.max_staleness": "20s",
      "authorizer.replication.commit_timeout": "2s",
    });
    await api(node, "POST", "/auth/policies", READ);
    await api(node, "POST", "/auth/users", { username: "alice" });
    await api(node, "PUT", "/auth/users/alice/policies/Read");
    await cluster.stop();
    try {
      await expect
        .poll(async () => (await api(node, "POST", "/auth/users", { username: "x" })).body)
        .toContain("cannot be reached");
      const [victim] = workerPids(node);
      process.kill(victim!, "SIGKILL");
      await expect.poll(() => served(node)).toEqual({ serving: 2, replaced: 1 });
      for (const { body } of await askBoth(6, decision(node.service, "alice")))
        expect(body).toContain('"decision":true');
      const codes = async () =>
        (await askBoth(2, decision(node.service, "alice"))).map(({ status }) => status);
      await expect.poll(async () => (await codes()).every((status) => status === 503)).toBe(true);
    } finally {
      await cluster.start();
    }
    await expect
      .poll(async () => (await api(node, "DELETE", "/auth/users/alice/policies/Read")).status)
      .toBe(204);
    for (const { body } of await askBoth(4, decision(node.service, "alice")))
      expect(body).toContain('"decision":false');
  });

  it("end at once when their primary is killed", async () => {
    const node = await startNode();
    const pids = workerPids(node);
    expect(pids).toHaveLength(2);
    await node.end("SIGKILL");
    await expect.poll(() => pids.filter(isWorker)).toEqual([]);
  });

  /** The newest revision, as readers of changes are told at first. */
  async function watchOnce({ service }: RunningProgram): Promise<string | undefined> {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const answer = await fetch(`${service}/api/v1/watch`, { headers });
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    const { value } = await reader.read();
    await reader.cancel();
    return value;
  }
});
