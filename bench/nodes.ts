/**
 * `npm run bench -- --nodes`: several nodes over one PostgreSQL, beside `pgbench` and bare `node:http` of the same
 * rounds. PostgreSQL runs with `fsync` and `synchronous_commit` on. Whoever writes, the nodes, PostgreSQL and `pgbench`
 * may use every core; for decisions alone the server has one core and the client the other.
 */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { Agent, request } from "node:http";
import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type PostgresCluster, postgresBin, startPostgres } from "../test/journal/postgres-cluster.ts";
import { benchDataset, bodiesFor, folder, program, serviceUrl, token, write } from "./authorizer.ts";
import { CONNECTIONS, median } from "./compare.ts";
import type { LoadResult } from "./load.ts";
import { onAllCores, runLoad, type StartedServer, startServer } from "./processes.ts";

const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 5);
const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 3);
const share = Number(process.env["BENCH_SCALE"] ?? 1);
const WRITERS = 32;
const USERS = 10_000 * share;
const JOINED_USERS = 100_000 * share;
const LAGS = Math.ceil(200 * share);
const FLEET = 4;
const FLEET_PER_SECOND = 200;
/** A delay that is longer is printed as this. */
const MOST_LAG_MS = 5_000;
/** The repository that the policies say something of which writes attach and take away. */
const OTHER = "other";

/** One row of the table: what was measured, and what is wanted. */
interface NodesRow {
  readonly name: string;
  readonly measured: string;
  readonly wanted: string;
}

const SECRET_KEY = randomBytes(32).toString("base64url");
/** Ended with the run, however it ends. */
const running = new Set<StartedServer>();
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const user = (index: number): string => `user-${String(index).padStart(6, "0")}`;

/** Measures everything; the cluster is thrown away afterwards. */
export async function measureNodes(log: (text: string) => void): Promise<readonly NodesRow[]> {
  if (postgresBin() === undefined) throw new Error("needs PostgreSQL: apt-get install postgresql");
  const cluster = await startPostgres();
  try {
    return [
      ...(await onAllCores(() => measureWrites(cluster, log))),
      ...(await onAllCores(() => measureFleet(cluster, log))),
      await onAllCores(() => measureJoin(cluster, log)),
      ...(await measureDecisions(cluster, log)),
    ];
  } finally {
    await Promise.all([...running].map((server) => server.stop()));
    agent.destroy();
    await cluster.close();
  }
}

async function measureWrites(cluster: PostgresCluster, log: (text: string) => void): Promise<NodesRow[]> {
  const database = await cluster.newDatabase();
  const one = await startNode(database, directory(USERS));
  const [pgRates, rates, shares, p99s, cpus]: number[][] = [[], [], [], [], []];
  const next = { value: 0 };
  for (let round = -1; round < ROUNDS; round++) {
    const pg = pgbench(cluster, SECONDS);
    const before = one.cpu();
    const { answers, perSecond, p99 } = await attach(one, next);
    const cpu = ((one.cpu() - before) * 1e6) / answers;
    // The first round warms up.
    if (round < 0) continue;
    pgRates!.push(pg);
    rates!.push(perSecond);
    shares!.push(perSecond / pg);
    p99s!.push(p99);
    cpus!.push(cpu);
    log(
      `round ${round + 1}: ${perSecond.toFixed(0)} writes/s, pgbench ${pg.toFixed(0)}/s, ` +
        `${cpu.toFixed(0)} µs of the node's CPU for each write, load ${loadavg()[0]!.toFixed(1)}`,
    );
  }
  const other = await startNode(database);
  const lags = await measureLags(serviceUrl(one), serviceUrl(other));
  log("lags");
  await Promise.all([one.stop(), other.stop()]);
  return [
    {
      name: `\`pgbench\`, one-row inserts, ${WRITERS} clients`,
      measured: `${median(pgRates!).toFixed(0)}/s`,
      wanted: "",
    },
    {
      name: `Single writes, ${WRITERS} callers on one node, ${USERS.toLocaleString("en")} users`,
      measured:
        `${median(rates!).toFixed(0)}/s, ${median(shares!).toFixed(2)} of \`pgbench\`, p99 ${median(p99s!).toFixed(0)} ms, ` +
        `${median(cpus!).toFixed(0)} µs of the node's CPU each`,
      wanted: "at least 0.3 of `pgbench`",
    },
    {
      name: "A write on one node until the decision on the other",
      measured: `p50 ${quantile(lags, 0.5).toFixed(1)} ms, p99 ${quantile(lags, 0.99).toFixed(1)} ms`,
      wanted: "p99 < 1,000 ms",
    },
    {
      name: `A node joins after ${next.value.toLocaleString("en")} such writes, all kept in the log`,
      measured: `ready in ${(other.readyMs / 1_000).toFixed(1)} s`,
      wanted: "",
    },
  ];
}

/**
 * Attaches a policy to one user after the other, with as many callers as `pgbench` has. Once all have it, it is taken
 * from them again.
 */
async function attach(node: StartedServer, next: { value: number }): Promise<LoadResult> {
  const url = serviceUrl(node);
  const head = `Host: ${new URL(url).host}\r\nAuthorization: Bearer ${token}\r\nContent-Length: 0\r\n\r\n`;
  const requests = Array.from({ length: 2 * USERS }, (_, index) => {
    const [method, path] = writeAt(next.value + index);
    return `${method} /api/v1${path} HTTP/1.1\r\n${head}`;
  });
  const result = await runLoad({
    url,
    path: "",
    token: "",
    bodies: "",
    requests: write("writes.json", JSON.stringify(requests)),
    connections: WRITERS,
    seconds: SECONDS,
    expect: "",
  });
  next.value += result.answers;
  return result;
}

/** One write after the other: method and path below the API. */
function writeAt(index: number): readonly [method: "PUT" | "DELETE", path: string] {
  const method = Math.floor(index / USERS) % 2 === 0 ? "PUT" : "DELETE";
  return [method, `/auth/users/${user(index % USERS)}/policies/Beside`];
}

/** Milliseconds from the answer of a write on one node until the other decides by it. */
async function measureLags(url: string, otherUrl: string): Promise<readonly number[]> {
  const lags: number[] = [];
  for (let round = 0; round < LAGS; round++) {
    const username = user(round);
    const grants = (await decide(otherUrl, username)) === false;
    await call(url, grants ? "PUT" : "DELETE", `/auth/users/${username}/policies/Reader`);
    const written = performance.now();
    while ((await decide(otherUrl, username)) !== grants);
    lags.push(performance.now() - written);
  }
  return lags;
}

async function measureFleet(cluster: PostgresCluster, log: (text: string) => void): Promise<NodesRow[]> {
  const database = await cluster.newDatabase();
  const first = await startNode(database, directory(USERS));
  const nodes = [first];
  while (nodes.length < FLEET) nodes.push(await startNode(database));
  const urls = nodes.map(serviceUrl);
  const [times, lags]: number[][] = [[], []];
  const pending: Promise<void>[] = [];
  const began = performance.now();
  const count = FLEET_PER_SECOND * SECONDS * 2;
  const one = async (index: number): Promise<void> => {
    const sent = performance.now();
    const [method, path] = writeAt(index);
    await call(urls[index % FLEET]!, method, path);
    const written = performance.now();
    times!.push(written - sent);
    // One in ten: asking the next node for each would be most of the load.
    if (index % 10 !== 0) return;
    const end = written + MOST_LAG_MS;
    const grants = method === "PUT";
    const next = urls[(index + 1) % FLEET]!;
    while (performance.now() < end && (await decide(next, user(index % USERS), OTHER)) !== grants) {
      await delay(1);
    }
    lags!.push(performance.now() - written);
  };
  for (let index = 0; index < count; index++) {
    const due = began + (index * 1_000) / FLEET_PER_SECOND;
    if (performance.now() < due) await delay(Math.max(0, due - performance.now()));
    pending.push(one(index));
  }
  await Promise.all(pending);
  const perSecond = count / ((performance.now() - began) / 1_000);
  log("fleet");
  await Promise.all(nodes.map((node) => node.stop()));
  return [
    {
      name: `${FLEET_PER_SECOND} writes/s from ${FLEET} nodes`,
      measured: `${perSecond.toFixed(0)}/s, p50 ${quantile(times!, 0.5).toFixed(1)} ms, p99 ${quantile(times!, 0.99).toFixed(1)} ms`,
      wanted: `${FLEET_PER_SECOND}/s, none lost (\`npm run prove\`)`,
    },
    {
      name: "Such a write until the decision on the next node",
      measured: `p50 ${quantile(lags!, 0.5).toFixed(1)} ms, p99 ${quantile(lags!, 0.99).toFixed(1)} ms`,
      wanted: "p99 < 1,000 ms",
    },
  ];
}

async function measureJoin(cluster: PostgresCluster, log: (text: string) => void): Promise<NodesRow> {
  const database = await cluster.newDatabase();
  const first = await startNode(database, directory(JOINED_USERS));
  await first.stop();
  const times: number[] = [];
  for (let round = 0; round < Math.min(ROUNDS, 3); round++) {
    const joined = await startNode(database);
    times.push(joined.readyMs / 1_000);
    await joined.stop();
  }
  log("join");
  return {
    name: `A node joins a directory of ${JOINED_USERS.toLocaleString("en")} users`,
    measured: `ready in ${median(times).toFixed(1)} s`,
    wanted: "< 20 s",
  };
}

async function measureDecisions(cluster: PostgresCluster, log: (text: string) => void): Promise<NodesRow[]> {
  const dataset = write("nodes.json", JSON.stringify(benchDataset()));
  const bare = kept(await startServer([new URL("./servers/bare.ts", import.meta.url).pathname]));
  const local = await startNode(undefined, dataset);
  const remote = await startNode(await cluster.newDatabase(), dataset);
  const job = { token, bodies: bodiesFor(1_000).evaluation, connections: CONNECTIONS, seconds: SECONDS };
  const path = "/access/v1/evaluation";
  const expect = '"decision":true';
  const rates = { bare: [] as number[], local: [] as number[], remote: [] as number[] };
  for (let round = -1; round < ROUNDS; round++) {
    const ofBare = await runLoad({ ...job, url: bare.line.split(" ")[1]!, path: "/", expect: "true" });
    const askLocal = () => runLoad({ ...job, url: serviceUrl(local), path, expect });
    const askRemote = () => runLoad({ ...job, url: serviceUrl(remote), path, expect });
    // In turn, so that neither always comes after the same.
    const isEven = round % 2 === 0;
    const first = await (isEven ? askLocal : askRemote)();
    const second = await (isEven ? askRemote : askLocal)();
    const [ofLocal, ofRemote] = isEven ? [first, second] : [second, first];
    // The first round warms up.
    if (round < 0) continue;
    rates.bare.push(ofBare.perSecond);
    rates.local.push(ofLocal.perSecond);
    rates.remote.push(ofRemote.perSecond);
    log(
      `round ${round + 1}: decisions ${ofLocal.perSecond.toFixed(0)}/s local, ${ofRemote.perSecond.toFixed(0)}/s`,
    );
  }
  await Promise.all([bare.stop(), local.stop(), remote.stop()]);
  const ratio = (own: readonly number[], yardstick: readonly number[]): string =>
    median(own.map((rate, round) => rate / yardstick[round]!)).toFixed(2);
  return [
    { name: "Bare `node:http`", measured: `${median(rates.bare).toFixed(0)}/s`, wanted: "" },
    {
      name: "`/evaluation` with `local`",
      measured: `${median(rates.local).toFixed(0)}/s, ${ratio(rates.local, rates.bare)} of bare`,
      wanted: "",
    },
    {
      name: "`/evaluation` with `postgres`",
      measured: `${median(rates.remote).toFixed(0)}/s, ${ratio(rates.remote, rates.bare)} of bare, ${ratio(rates.remote, rates.local)} of \`local\``,
      wanted: "as with `local`",
    },
  ];
}

/** A node over a database of PostgreSQL; over a local folder where there is none. */
async function startNode(connectionString: string | undefined, dataset?: string): Promise<StartedServer> {
  const name = `nodes-${randomBytes(4).toString("hex")}`;
  const config = write(
    `${name}.yaml`,
    JSON.stringify({
      listen_address: "127.0.0.1:0",
      database:
        connectionString === undefined
          ? { type: "local", local: { path: write(`${name}-store`, "").replace(/$/, "-folder") } }
          : { type: "postgres", postgres: { connection_string: connectionString } },
      logging: { level: "WARN", audit_log_level: "NONE" },
      auth: { api: { token }, encrypt: { secret_key: SECRET_KEY } },
      authorizer: {
        listen_address: "127.0.0.1:0",
        metrics_address: "127.0.0.1:0",
        ...(dataset !== undefined && { datasets: [dataset] }),
      },
    }),
  );
  return kept(await startServer([program, "run", "--config", config], folder));
}

function kept(server: StartedServer): StartedServer {
  const stop = async (): Promise<void> => {
    running.delete(server);
    await server.stop();
  };
  running.add(server);
  return { ...server, stop };
}

/** A data set of users in groups of a hundred. */
function directory(users: number): string {
  const groups = Math.ceil(users / 100);
  const statement = [{ effect: "allow", action: ["fs:Read*"], resource: "*" }];
  return write(
    `directory-${users}.json`,
    JSON.stringify({
      format: 1,
      policies: ["Reader", "Beside", "OfGroup"].map((name) => ({
        name,
        statement:
          name === "Reader"
            ? statement
            : [
                {
                  ...statement[0],
                  resource: `arn:svc:fs:::repository/${name === "Beside" ? OTHER : "group"}/*`,
                },
              ],
      })),
      groups: Array.from({ length: groups }, (_, index) => ({
        name: `group-${index}`,
        policies: ["OfGroup"],
      })),
      users: Array.from({ length: users }, (_, index) => ({
        username: user(index),
        groups: [`group-${index % groups}`],
      })),
    }),
  );
}

/** Transactions a second of one-row inserts. */
function pgbench(cluster: PostgresCluster, seconds: number): number {
  const script = write("insert.sql", "INSERT INTO bench (item) VALUES (repeat('x', 300));\n");
  const connection = ["-h", "127.0.0.1", "-p", String(cluster.port), "-U", "test", "postgres"];
  const bin = postgresBin()!;
  const table = "CREATE TABLE IF NOT EXISTS bench (id bigserial PRIMARY KEY, item text)";
  execFileSync(join(bin, "psql"), ["-q", "-c", table, ...connection], { stdio: "ignore" });
  const args = ["-n", "-f", script, "-c", String(WRITERS), "-j", "2", "-T", String(seconds), ...connection];
  const text = execFileSync(join(bin, "pgbench"), args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  return Number(/tps = ([\d.]+)/.exec(text)?.[1]);
}

async function decide(url: string, username: string, repository = "r"): Promise<boolean> {
  const body = {
    subject: { type: "user", id: username },
    action: { name: "fs:ReadObject" },
    resource: { type: "arn", id: `arn:svc:fs:::repository/${repository}/object/o` },
  };
  return ((await send(`${url}/access/v1/evaluation`, "POST", body)) as { decision: boolean }).decision;
}

async function call(url: string, method: string, path: string): Promise<void> {
  await send(`${url}/api/v1${path}`, method);
}

function send(url: string, method: string, body?: unknown): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const text = body === undefined ? "" : JSON.stringify(body);
  const headers = {
    Authorization: `Bearer ${token}`,
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(text),
  };
  const sent = request(url, { method, agent, headers }, (answer) => {
    const chunks: Buffer[] = [];
    answer.on("data", (chunk: Buffer) => chunks.push(chunk));
    answer.on("end", () => {
      const found = Buffer.concat(chunks).toString();
      if ((answer.statusCode ?? 500) >= 300)
        reject(new Error(`${method} ${url}: ${answer.statusCode} ${found}`));
      else resolve(found === "" ? undefined : JSON.parse(found));
    });
  });
  sent.on("error", reject);
  sent.end(text);
  return promise;
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
