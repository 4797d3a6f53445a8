/**
 * A mirror of a large repository, by the program as a process of its own against stand-ins for data servers: memory beside that
 * of the idle program, and what a pass costs. `node bench/mirroring.ts [commits] [objects]`; it fails where a bound does not hold.
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { folder, startAuthorizer, urlsOf } from "./authorizer.ts";
import { startServer } from "./processes.ts";

const [COMMITS = 100_000, OBJECTS = 1_000_000] = process.argv.slice(2).map(Number);
const MOST_MIB = 300;
const CHANGED = 10;
const SETTLE_MS = 3_000;
const SAMPLE_MS = 200;
const KEY = "AKIAJMIRRORBENCHXXXQ";
const secret = randomBytes(30).toString("base64");

const servers = await startServer([
  "--max-old-space-size=12000",
  new URL("./servers/large-repository.ts", import.meta.url).pathname,
  String(COMMITS),
  String(OBJECTS),
]);
const urlOf = (name: string): string => new RegExp(`${name}=(\\S+)`).exec(servers.line)?.[1] ?? "";
type Calls = Readonly<Record<"source" | "destination", Readonly<Record<string, number>>>>;
const control = async (method: string): Promise<Calls> =>
  (await (await fetch(urlOf("control"), { method })).json()) as Calls;
console.log(
  `${COMMITS} commits, ${OBJECTS} objects; stand-ins ready after ${Math.round(servers.readyMs / 1000)} s`,
);

const access = { access_key_id: KEY, secret_access_key: secret };
const service = await startAuthorizer(undefined, {
  database: { type: "local", local: { path: join(folder, "mirroring") } },
  more: {
    user_listen_address: "127.0.0.1:0",
    bootstrap: "external",
    bootstrap_admin: { username: "admin", ...access },
    mirroring: {
      source: { endpoint: urlOf("source"), ...access },
      regions: { west: { endpoint: urlOf("destination"), ...access } },
      scan_interval: "2s",
      verify_interval: "1s",
    },
  },
});
const { user, metrics } = urlsOf(service);
const authorization = `Basic ${Buffer.from(`${KEY}:${secret}`).toString("base64")}`;
const MIRRORS = "/service/replication/v1/repositories/large/mirrors";
async function api(method: string, path: string, body?: object) {
  const answer = await fetch(user + path, {
    method,
    headers: { authorization, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as {
    state: string;
    progress: { commits_pending: number; lag_seconds: number };
  };
}
/** The value of a metric. */
async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${metrics}/metrics`)).text();
  return Number(new RegExp(`^svc_authorizer_${name}\\{[^}]*\\} (\\S+)`, "m").exec(text)?.[1] ?? Number.NaN);
}

await delay(SETTLE_MS);
const idle = service.rss();
const cpuBefore = service.cpu();
const began = performance.now();
await api("POST", MIRRORS, { name: "copy", region: "west", storage_namespace: "local://copy" });
let most = idle;
let next = 0;
for (;;) {
  await delay(SAMPLE_MS);
  most = Math.max(most, service.rss());
  if (performance.now() < next) continue;
  next = performance.now() + SETTLE_MS;
  const { state, progress } = await api("GET", `${MIRRORS}/copy`);
  if (process.env["BENCH_VERBOSE"]) console.error(state, JSON.stringify(progress), Math.round(service.rss()));
  if (state === "active") break;
  if (state === "failed") throw new Error("the mirror failed");
}
most = Math.max(most, service.peak());
const seconds = Math.round((performance.now() - began) / 1000);
console.log(
  `filled after ${seconds} s, ${Math.round(service.cpu() - cpuBefore)} s of CPU; ${Math.round(idle)} MiB idle, ${Math.round(most)} MiB at most: ${Math.round(most - idle)} MiB more (bound ${MOST_MIB})`,
);
await control("GET");
const passes = await metric("mirror_passes_total");
let news = 0;
while (news < 3) {
  await delay(SAMPLE_MS);
  news = (await metric("mirror_passes_total")) - passes;
}
const quiet = await control("GET");
console.log(`${news} passes without news: ${JSON.stringify(quiet)}`);
/** Calls of one pass without news; the one that is under way when they are counted is in the counts or not. */
const QUIET: Calls = {
  source: { "GET repository": 1, "GET branches": 1 },
  destination: { "GET repository": 1, "GET metadata": 1 },
};
const isQuiet = (["source", "destination"] as const).every((side) =>
  Object.entries({ ...QUIET[side], ...quiet[side] }).every(
    ([call, count]) => QUIET[side][call] !== undefined && Math.abs(count - news) <= 1,
  ),
);
const looksBefore = await metric("mirror_objects_checked_total");
await control("POST");
for (;;) {
  await delay(SAMPLE_MS);
  if ((await metric("mirror_objects_checked_total")) > looksBefore) break;
}
while ((await api("GET", `${MIRRORS}/copy`)).state !== "active") await delay(SAMPLE_MS);
const looks = (await metric("mirror_objects_checked_total")) - looksBefore;
const changed = await control("GET");
console.log(
  `a commit that changes ${CHANGED} of ${OBJECTS} objects: ${looks} looks, ${JSON.stringify(changed)}`,
);
await service.stop();
await servers.stop();
const isIn = most - idle < MOST_MIB && looks === CHANGED && isQuiet;
if (!isIn) process.exitCode = 1;
