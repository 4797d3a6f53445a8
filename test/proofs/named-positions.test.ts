/** Proof: no route of either listener names an empty revision or log, also on a node whose copy is not whole (spec/journal §3). */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { cleanUp, newFolder, type RunningProgram } from "../end-to-end/program.ts";
import { postgresBin, startPostgres } from "../journal/postgres-cluster.ts";
import { openedOnce } from "../opened.ts";
import { Fleet } from "./fleet.ts";

const LOOKS = { interval: 100 };
const ALL = { name: "All", statement: [{ effect: "allow", action: ["*"], resource: "*" }] };
const TABLES = ["entry", "part", "checkpoint", "piece", "usage", "floor"].map(
  (name) => `svc_authorizer_${name}`,
);
/** Time after which a stream is left. */
const STREAM_MS = 1_000;

const REVISION = /^\d+\.[\w-]{8}$/;
const POSITION = /^\d+\.[\w-]{8}\.[\w-]{8}$/;
/** Positions and logs without a name, in JSON and in events. */
const NAMELESS = [
  /"\d+\.{1,2}"/,
  /^id: ?\d*\.{0,2}$/m,
  /"(log|position|entry)": ?""/,
  /"revision": ?("?0?\.|"")/,
  /\blog=""/,
];

interface Route {
  readonly method: string;
  readonly path: string;
}

describe.skipIf(postgresBin() === undefined)("proof: names of positions", () => {
  const cluster = openedOnce(() => startPostgres());
  let fleet: Fleet;
  let node: RunningProgram;
  let sql: (text: string) => Promise<void>;
  let url: string;
  let basic: string;
  let calls: number;
  afterEach(cleanUp);

  async function startNode(): Promise<void> {
    calls = 0;
    fleet = await Fleet.start(cluster, 0, { "authorizer.decision_log.include": "all" });
    ({ "database.postgres.connection_string": url } = JSON.parse(readFileSync(fleet.config, "utf8")));
    sql = (text) => cluster.query(text, new URL(url).pathname.slice(1));
    node = await fleet.startNode(["--authorizer.replication.path", join(newFolder(), "copy")]);
    const write = async (method: string, path: string, body?: unknown) =>
      expect(await fleet.write(node.service, method, path, body), path).toBe(201);
    await write("POST", "/users", { username: "root" });
    await write("POST", "/policies", ALL);
    await write("PUT", "/users/root/policies/All");
    const made = await fleet.call(node.service, "POST", "/api/v1/auth/users/root/credentials");
    const key = (await made.json()) as { access_key_id: string; secret_access_key: string };
    basic = `Basic ${btoa(`${key.access_key_id}:${key.secret_access_key}`)}`;
    await sql("CREATE TABLE backup AS TABLE svc_authorizer_entry");
    await write("POST", "/users", { username: "later" });
  }

  async function routesOf(listener: string): Promise<readonly Route[]> {
    const { paths } = (await (await fetch(`${listener}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, unknown>>;
    };
    return Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods)
        .filter((method) => /^(get|post|put|patch|delete)$/.test(method))
        .map((method) => ({ method: method.toUpperCase(), path: path.replaceAll(/\{\w+\}/g, "x") })),
    );
  }

  async function expectNames(listener: string, { method, path }: Route, authorization: string) {
    const answer = await fetch(`${listener}${path}`, {
      method,
      headers: { Authorization: authorization, "Content-Type": "application/json" },
      ...(method !== "GET" && method !== "DELETE" && { body: "{}" }),
      signal: AbortSignal.timeout(60_000),
    });
    const where = `${method} ${path} ${answer.status}`;
    const [revision, position] = [answer.headers.get("X-Svc-Revision"), answer.headers.get("X-Svc-Position")];
    if (revision !== null) expect(revision, where).toMatch(REVISION);
    if (position !== null) expect(position, where).toMatch(POSITION);
    const text = await beginningOf(answer);
    if (!path.endsWith("openapi.json")) for (const form of NAMELESS) expect(text, where).not.toMatch(form);
    calls += 1;
  }

  async function expectNamesEverywhere(): Promise<void> {
    const token = JSON.parse(readFileSync(fleet.config, "utf8"))["auth.api.token"];
    for (const [listener, authorization] of [
      [node.service, `Bearer ${token}`],
      [node.user, basic],
    ] as const) {
      for (const route of await routesOf(listener)) await expectNames(listener, route, authorization);
    }
    const metrics = await (await fetch(`${node.metrics}/metrics`)).text();
    for (const form of NAMELESS) expect(metrics).not.toMatch(form);
    expect(metrics).not.toMatch(/log="0?\.?"/);
    expect(calls).toBeGreaterThan(100);
  }

  const trouble = async () =>
    ((await (await fetch(`${node.service}/readyz?verbose`)).json()) as { database?: string }).database ?? "";

  it("on a node whose log is gone", async () => {
    await startNode();
    await sql(`DROP TABLE ${TABLES.join(", ")}`);
    await expect.poll(trouble, LOOKS).toMatch(/no log/);
    await expectNamesEverywhere();
  });

  it("on a node that has made its copy anew, as its log went back", async () => {
    await startNode();
    await sql("BEGIN; TRUNCATE svc_authorizer_entry; INSERT INTO svc_authorizer_entry TABLE backup; COMMIT");
    await expect
      .poll(async () => [...(await fleet.users(node.service))].includes("later"), LOOKS)
      .toBe(false);
    await expectNamesEverywhere();
  });
});

/** The body of an answer; of a stream, that which comes in a second. */
async function beginningOf(answer: Response): Promise<string> {
  if (answer.body === null) return "";
  const reader = answer.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  const end = Date.now() + STREAM_MS;
  for (;;) {
    const left = Math.max(1, end - Date.now());
    const next = await Promise.race([
      reader.read(),
      new Promise<undefined>((resolve) => void setTimeout(() => resolve(undefined), left)),
    ]);
    if (next === undefined || next.done) break;
    text += decoder.decode(next.value, { stream: true });
  }
  await reader.cancel().catch(() => undefined);
  return text;
}
