/** Memory and start-up of the program, as a process of its own. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { largeDataset } from "../test/datasets/large-dataset.ts";
import { folder, program, serviceUrl, startAuthorizer, token, write } from "./authorizer.ts";
import { type StartedServer, startServer } from "./processes.ts";

/** Times and sizes. */
interface ResourceFigures {
  /** Milliseconds from start to ready, empty local store, median of several. */
  readonly readyMs: number;
  /** MiB resident, shortly after the start with an empty local store. */
  readonly idleMiB: number;
  /** MiB resident with 1,000 users of 20 groups at 1,000 statements, all of them asked about. */
  readonly largeMiB: number;
  /** The same in memory instead of on disk, right after the load. */
  readonly largeInMemoryMiB: number;
  /** Longest wait, in milliseconds, of a decision about one user while all others were compiled for the first time. */
  readonly longestWaitMs: number;
}

const STARTS = 5;
const SETTLE_MS = 1500;

function localConfig(name: string): string {
  const secret_key = randomBytes(32).toString("base64url");
  return write(
    `${name}.yaml`,
    JSON.stringify({
      listen_address: "127.0.0.1:0",
      database: { type: "local", local: { path: join(folder, name) } },
      logging: { level: "WARN" },
      auth: { api: { token }, encrypt: { secret_key } },
      authorizer: { listen_address: "127.0.0.1:0", metrics_address: "127.0.0.1:0" },
    }),
  );
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function check(server: StartedServer, user: string): Promise<number> {
  const began = performance.now();
  const response = await fetch(`${serviceUrl(server)}/access/v1/check`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({
      user,
      required: { action: "fs:ReadObject", resource: "arn:svc:fs:::repository/none/x" },
    }),
  });
  await response.json();
  if (response.status !== 200) throw new Error(`status ${response.status}`);
  return performance.now() - began;
}

/** Asks about every user once, eight at a time, while one user is asked about again and again. */
async function askAboutAll(server: StartedServer, users: readonly string[]): Promise<number> {
  const [steady = "", ...others] = users;
  await check(server, steady);
  let longest = 0;
  let done = false;
  const watch = (async () => {
    while (!done) longest = Math.max(longest, await check(server, steady));
  })();
  const lanes = Array.from({ length: 8 }, async (_, lane) => {
    for (let index = lane; index < others.length; index += 8) await check(server, others[index] as string);
  });
  await Promise.all(lanes);
  done = true;
  await watch;
  return longest;
}

/** Measures everything. */
export async function measureResources(): Promise<ResourceFigures> {
  const times: number[] = [];
  let idleMiB = 0;
  for (let index = 0; index < STARTS; index++) {
    const server = await startServer([program, "run", "--config", localConfig(`idle-${index}`)]);
    times.push(server.readyMs);
    await pause(SETTLE_MS);
    idleMiB = Math.max(idleMiB, server.rss());
    await server.stop();
  }
  const data = largeDataset();
  const file = write("large.json", JSON.stringify(data));
  const users = (data.users ?? []).map(({ username }) => username);
  const config = localConfig("large");
  const loading = await startServer([program, "run", "--config", config, "--authorizer.datasets", file]);
  await loading.stop();
  const server = await startServer([program, "run", "--config", config]);
  const longestWaitMs = await askAboutAll(server, users);
  await pause(SETTLE_MS);
  const largeMiB = server.rss();
  await server.stop();
  const inMemory = await startAuthorizer(file);
  await askAboutAll(inMemory, users);
  await pause(SETTLE_MS);
  const largeInMemoryMiB = inMemory.rss();
  await inMemory.stop();
  const readyMs = times.sort((a, b) => a - b)[STARTS >> 1] as number;
  return { readyMs, idleMiB, largeMiB, largeInMemoryMiB, longestWaitMs };
}
