/** A large directory: how long it takes to load, from a data set and through the data-server API, and what it weighs. */
import { randomBytes } from "node:crypto";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { folder, program, serviceUrl, token, write } from "./authorizer.ts";
import { startServer } from "./processes.ts";

const share = Number(process.env["BENCH_SCALE"] ?? 1);
const USERS = 100_000 * share;
const GROUPS = 1_000 * share;
const POLICIES = 10_000 * share;
const CONNECTIONS = 32;
const LISTED = Math.min(10_000, USERS);
const PAGE = 1_000;

/** One row of the table: what, seconds or MiB, and what is wanted at most. */
interface ScaleRow {
  readonly name: string;
  readonly measured: number;
  readonly unit: "s" | "MiB";
  readonly target: number;
}

interface Call {
  readonly method: "POST" | "PUT";
  readonly path: string;
  readonly body?: unknown;
}

const user = (index: number): string => `user-${String(index).padStart(6, "0")}`;
const group = (index: number): string => `group-${index % GROUPS}`;
const policy = (index: number): string => `policy-${index}`;
const statementOf = (index: number) => [
  {
    effect: "allow",
    action: ["fs:Read*", "fs:List*"],
    resource: `arn:svc:fs:::repository/repo-${index}/*`,
  },
  { effect: "allow", action: ["fs:WriteObject"], resource: `arn:svc:fs:::repository/repo-${index}/object/*` },
];
const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** The data set: each user in one group, each policy attached to one group. */
function dataset(): unknown {
  const attached = Map.groupBy(range(POLICIES), (index) => index % GROUPS);
  return {
    format: 1,
    policies: range(POLICIES).map((index) => ({ name: policy(index), statement: statementOf(index) })),
    groups: range(GROUPS).map((index) => ({
      name: group(index),
      policies: (attached.get(index) ?? []).map(policy),
    })),
    users: range(USERS).map((index) => ({ username: user(index), groups: [group(index)] })),
  };
}

function* entityCalls(): Generator<Call> {
  for (const index of range(POLICIES)) {
    yield { method: "POST", path: "policies", body: { name: policy(index), statement: statementOf(index) } };
  }
  for (const index of range(GROUPS)) yield { method: "POST", path: "groups", body: { id: group(index) } };
  for (const index of range(USERS)) yield { method: "POST", path: "users", body: { username: user(index) } };
}

function* linkCalls(): Generator<Call> {
  for (const index of range(POLICIES)) {
    yield { method: "PUT", path: `groups/${group(index)}/policies/${policy(index)}` };
  }
  for (const index of range(USERS))
    yield { method: "PUT", path: `groups/${group(index)}/members/${user(index)}` };
}

function config(name: string, datasets: readonly string[]): string {
  return write(
    `${name}.yaml`,
    JSON.stringify({
      listen_address: "127.0.0.1:0",
      database: { type: "local", local: { path: join(folder, name) } },
      logging: { level: "ERROR" },
      auth: { api: { token }, encrypt: { secret_key: randomBytes(32).toString("base64url") } },
      authorizer: {
        listen_address: "127.0.0.1:0",
        metrics_address: "127.0.0.1:0",
        audit: { output: join(folder, `${name}-audit.log`) },
        datasets,
      },
    }),
  );
}

function call(agent: Agent, base: string, { method, path, body }: Call): Promise<void> {
  const text = body === undefined ? "" : JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${token}`,
    "content-length": Buffer.byteLength(text),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${base}/api/v1/auth/${path}`, { agent, method, headers }, (response) => {
      response.resume();
      response.on("error", reject).on("end", () => {
        if (response.statusCode === 201) resolve();
        else reject(new Error(`${method} ${path}: ${response.statusCode}`));
      });
    });
    sent.on("error", reject).end(text);
  });
}

async function secondsOf(calls: Iterator<Call>, base: string): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const began = performance.now();
  const lane = async (): Promise<void> => {
    for (let next = calls.next(); next.done !== true; next = calls.next()) {
      await call(agent, base, next.value);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
  agent.destroy();
  return (performance.now() - began) / 1_000;
}

/** Seconds to list the first users, page after page. */
async function listSeconds(base: string): Promise<number> {
  const began = performance.now();
  let after = "";
  for (let listed = 0; listed < LISTED; ) {
    const url = `${base}/api/v1/auth/users?after=${after}&amount=${PAGE}&prefix=`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    const { results, pagination } = (await response.json()) as {
      results: unknown[];
      pagination: { next_offset: string };
    };
    if (results.length !== Math.min(PAGE, LISTED - listed)) throw new Error(`a page of ${results.length}`);
    listed += results.length;
    after = pagination.next_offset;
  }
  return (performance.now() - began) / 1_000;
}

/** Seconds from start to ready, data set loaded; its peak shows in the memory of the process. */
async function loadDataset(log: (text: string) => void): Promise<ScaleRow[]> {
  const file = write("scale.json", JSON.stringify(dataset()));
  log("loading a data set");
  const server = await startServer([program, "run", "--config", config("scale-dataset", [file])]);
  const rows: ScaleRow[] = [
    { name: "Load from a JSON data set", measured: server.readyMs / 1_000, unit: "s", target: 60 },
    { name: "Highest memory of that", measured: server.peak(), unit: "MiB", target: 400 },
  ];
  const base = serviceUrl(server);
  await listSeconds(base);
  const listed = await listSeconds(base);
  rows.push({
    name: `${LISTED} users listed in pages of ${PAGE}`,
    measured: listed,
    unit: "s",
    target: 1,
  });
  await server.stop();
  return rows;
}

async function loadThroughApi(log: (text: string) => void): Promise<ScaleRow[]> {
  const server = await startServer([program, "run", "--config", config("scale-api", [])]);
  const base = serviceUrl(server);
  log("creating users, groups and policies through the API");
  const entities = await secondsOf(entityCalls(), base);
  log("adding memberships and attachments through the API");
  const links = await secondsOf(linkCalls(), base);
  const highest = server.peak();
  await server.stop();
  return [
    {
      name: `Creation through the API, ${CONNECTIONS} connections`,
      measured: entities,
      unit: "s",
      target: 60,
    },
    { name: "Memberships and attachments likewise", measured: links, unit: "s", target: 60 },
    { name: "Highest memory of both", measured: highest, unit: "MiB", target: 400 },
  ];
}

/** Measures a directory of 100,000 users, 1,000 groups and 10,000 policies (`BENCH_SCALE` scales it). */
export async function measureScale(log: (text: string) => void): Promise<ScaleRow[]> {
  return [...(await loadDataset(log)), ...(await loadThroughApi(log))];
}
