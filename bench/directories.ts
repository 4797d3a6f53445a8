/** Directories of many users on a local store: CPU time and memory of everything that reads or writes all of one. */
import { appendFileSync, copyFileSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { measured } from "../test/proofs/data-server/measured-run.ts";
import { folder, program, serviceUrl, token, write } from "./authorizer.ts";
import { onAllCores, type StartedServer, startServer } from "./processes.ts";
import { type Witnessed, witness } from "./witness.ts";

const SIZES = (process.env["BENCH_USERS"] ?? "100000,1000000").split(",").map(Number);
const GROUPS = 100;
const SECRET_KEY = "a secret key of the benchmark, long enough";
/** Asked by another caller while the service reloads. */
const QUESTION = {
  user: "user-0000001",
  required: { action: "fs:ReadObject", resource: "arn:lakefs:fs:::repository/r/object/o" },
};
/** Last characters of the output of a command that are kept, for its result or its error. */
const OUTPUT = 1_000;
/** Time between two looks at the memory of a service, in milliseconds. */
const LOOK_MS = 20;

/** One kind of work on a directory. */
interface DirectoryRow {
  readonly users: number;
  readonly name: string;
  readonly seconds: number;
  /** Seconds of processor time, user and system. */
  readonly cpu: number;
  /** Highest anonymous memory in MiB. */
  readonly anonymous: number;
  /** Highest resident memory in MiB, with pages of files. */
  readonly resident: number;
  /** Longest wait of another caller of the service meanwhile, in milliseconds, without that for a processor. */
  readonly waitMs?: number;
}

/** Measures all sizes. */
export async function measureDirectories(log: (text: string) => void): Promise<readonly DirectoryRow[]> {
  const rows: DirectoryRow[] = [];
  for (const users of SIZES) {
    for await (const row of onAllCoresEach(measureDirectory(users))) {
      rows.push(row);
      log(`${users} users, ${row.name}: ${row.cpu.toFixed(1)} s of CPU, ${row.anonymous.toFixed(0)} MiB`);
    }
  }
  return rows;
}

/** The values of a sequence, whose processes may use all cores. */
async function* onAllCoresEach<T>(sequence: AsyncIterator<T>): AsyncGenerator<T> {
  for (;;) {
    const { done, value } = await onAllCores(() => sequence.next());
    if (done === true) return;
    yield value;
  }
}

async function* measureDirectory(users: number): AsyncGenerator<DirectoryRow> {
  const file = join(folder, `users-${users}.json`);
  writeDataset(file, users);
  const named = join(folder, `named-${users}.json`);
  writeDataset(named, users, { friendlyName: "Renamed" });
  const config = write(`directory-${users}-config.json`, JSON.stringify(configOf(users, file)));
  let output = "";
  const run = async (name: string, ...args: readonly string[]): Promise<DirectoryRow> => {
    const command = [process.execPath, program, ...args, "--config", config];
    const { code, seconds, cpuSeconds, megabytes, anonymous, ...rest } = await measured(
      command,
      process.env,
      folder,
      OUTPUT,
    );
    output = rest.output;
    if (code !== 0) throw new Error(`${name}: ${output}`);
    return { users, name, seconds, cpu: cpuSeconds, anonymous, resident: megabytes };
  };
  yield await run("load into an empty store", "load", file);
  yield await run("load again: nothing to do", "load", file);
  yield* measureService(users, file, config);
  const exported = join(folder, "exported.json");
  yield await run("export", "export", "--format", "json", "--output", exported);
  yield await run("check-store", "check-store");
  const backup = join(folder, `backup-${users}.ndjson`);
  yield await run("backup", "backup", backup, "--json");
  const newest = /"revision":(\d+)/.exec(output)?.[1] ?? "";
  yield await run("restore --from", "restore", "--from", backup);
  yield await run("sync that changes every user", "sync", named);
  yield await run("restore --at, every user changed since", "restore", "--at", newest);
  for (const path of [exported, backup, named]) rmSync(path, { force: true });
}

async function* measureService(users: number, file: string, config: string): AsyncGenerator<DirectoryRow> {
  const began = performance.now();
  // The first start leaves the digest of what is in force.
  await (await startServer([program, "run", "--config", config], folder)).stop();
  const first = (performance.now() - began) / 1_000;
  const server = await startServer([program, "run", "--config", config], folder);
  try {
    if (server.readyMs / 1_000 > first) throw new Error("the data set was not known to be in force");
    yield {
      users,
      name: "start, the data set in force",
      seconds: server.readyMs / 1_000,
      cpu: server.cpu(),
      anonymous: server.anonymous(),
      resident: server.peak(),
    };
    copyFileSync(file, `${file}.before`);
    writeDataset(file, users, { more: { username: "the-new-one" } });
    yield await whileServing(server, { users, name: "reload (SIGHUP), one line more" }, async () => {
      server.signal("SIGHUP");
      while ((await statusOf(server, "/api/v1/auth/users/the-new-one")) !== 200) await delay(LOOK_MS);
    });
  } finally {
    await server.stop();
    copyFileSync(`${file}.before`, file);
  }
}

async function whileServing(
  server: StartedServer,
  { users, name }: Pick<DirectoryRow, "users" | "name">,
  work: () => Promise<void>,
): Promise<DirectoryRow> {
  let [anonymous, resident] = [0, 0];
  let waited: Witnessed;
  const timer = setInterval(() => {
    anonymous = Math.max(anonymous, server.anonymous());
    resident = Math.max(resident, server.rss());
  }, LOOK_MS);
  const stop = await witness({
    url: `${serviceUrl(server)}/access/v1/check`,
    token,
    body: JSON.stringify(QUESTION),
    pid: server.pid,
  });
  const [began, cpu] = [performance.now(), server.cpu()];
  let seconds: number;
  let used: number;
  try {
    await work();
  } finally {
    seconds = (performance.now() - began) / 1_000;
    used = server.cpu() - cpu;
    clearInterval(timer);
    waited = await stop();
  }
  if (waited.failed > 0)
    throw new Error(`${name}: ${waited.failed} questions of ${waited.asked} had no answer`);
  return { users, name, seconds, cpu: used, anonymous, resident, waitMs: waited.longestOwnMs };
}

function statusOf(server: StartedServer, path: string): Promise<number | undefined> {
  const headers = { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    get(`${serviceUrl(server)}${path}`, { headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    }).on("error", reject);
  });
}

function configOf(users: number, file: string): object {
  return {
    listen_address: "127.0.0.1:0",
    database: { type: "local", local: { path: join(folder, `directory-${users}`) } },
    logging: { level: "ERROR", audit_log_level: "NONE" },
    auth: { api: { token }, encrypt: { secret_key: SECRET_KEY } },
    authorizer: { listen_address: "127.0.0.1:0", metrics_address: "127.0.0.1:0", datasets: [file] },
  };
}

/** Users of which the text is put together at once: that of ten million is longer than a text can be. */
const PORTION = 100_000;

/**
 * Writes a data set of users in a hundred groups.
 * @param more a user besides, at the end
 */
function writeDataset(
  path: string,
  users: number,
  { friendlyName = "", more }: { readonly friendlyName?: string; readonly more?: object } = {},
): void {
  const groups = Array.from({ length: GROUPS }, (_, index) => ({ name: `group-${index}` }));
  const name = friendlyName === "" ? "" : `,"friendly_name":${JSON.stringify(friendlyName)}`;
  writeFileSync(path, `{"format":1,"groups":${JSON.stringify(groups)},"users":[`);
  for (let start = 0; start < users; start += PORTION) {
    const entries = Array.from({ length: Math.min(PORTION, users - start) }, (_, place) => {
      const index = start + place;
      return `{"username":"user-${String(index).padStart(7, "0")}","groups":["group-${index % GROUPS}"]${name}}`;
    });
    appendFileSync(path, (start === 0 ? "" : ",\n") + entries.join(",\n"));
  }
  appendFileSync(path, `${more === undefined ? "" : `,${JSON.stringify(more)}`}]}\n`);
}
