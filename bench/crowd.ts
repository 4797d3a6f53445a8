/**
 * `npm run bench -- --crowd`: a directory of 100,000 users in 20 groups of 1,000 statements each, on the local store with
 * default items: how much a question costs when more users ask than the cache holds (`auth.cache.size`, 1,024), by CPU
 * time, beside as many users as it does hold. Half of the questions are refused.
 */
import { rmSync } from "node:fs";
import { largeDataset } from "../test/datasets/large-dataset.ts";
import { folder, program, serviceUrl, token, write } from "./authorizer.ts";
import { localConfig, nameOf, resourceFor } from "./cold.ts";
import { CONNECTIONS, measureLoad, ROUNDS, Rounds, SECONDS, WARM_UP_SECONDS } from "./compare.ts";
import type { LoadJob } from "./load.ts";
import { runLoad, startServer } from "./processes.ts";

const USERS = 100_000;
const GROUPS = 20;
/** Users who ask: the first number fits into the cache. */
const ACTIVE: readonly number[] = [1_000, 1_500, 3_000, 100_000];
/** Questions in a file: with fewer users each asks several times. */
const QUESTIONS = 200_000;

/** One row of the table: users who ask, and what a question costs. */
export interface CrowdRow {
  readonly active: number;
  readonly perSecond: number;
  readonly p99: number;
  /** Microseconds of processor time for each question. */
  readonly cpu: number;
  /** The same, divided by that of bare `node:http` with the same bodies. */
  readonly ofBare: number;
  /** The same, divided by that of users who are all cached. */
  readonly ofWarm: number;
  /** MiB of anonymous memory at the end of the last load. */
  readonly memory: number;
}

/** Questions of `active` users in an order without a pattern, one a line. */
function crowd(active: number): string {
  let state = 42;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  return Array.from({ length: QUESTIONS }, () => {
    const user = random(active);
    const required = { action: "fs:ReadObject", resource: resourceFor(user, random(16)) };
    return JSON.stringify({ user: nameOf(user), required });
  }).join("\n");
}

/** Measures the crowds in turn, round after round. */
export async function measureCrowd(log: (text: string) => void): Promise<CrowdRow[]> {
  const size = { users: USERS, groups: GROUPS, policiesPerGroup: 10, statementsPerPolicy: 100 };
  const dataset = write("crowd.json", JSON.stringify(largeDataset(size)));
  const config = localConfig("crowd");
  const server = await startServer([program, "run", "--config", config, "--authorizer.datasets", dataset]);
  const bare = await startServer([new URL("./servers/bare.ts", import.meta.url).pathname]);
  const job = (url: string, bodies: string, expect: string): LoadJob => {
    return {
      url,
      path: "/access/v1/check",
      token,
      bodies,
      connections: CONNECTIONS,
      seconds: SECONDS,
      expect,
    };
  };
  const files = new Map(ACTIVE.map((active) => [active, write(`crowd-${active}`, crowd(active))]));
  const rounds = new Rounds();
  const memory = new Map<number, number>();
  const floor = job(bare.line.split(" ")[1] as string, files.get(ACTIVE[0] as number) as string, "true");
  await runLoad({ ...floor, seconds: WARM_UP_SECONDS });
  for (let round = 0; round < ROUNDS; round++) {
    log(rounds.add("bare", await measureLoad({ server: bare, job: floor })));
    for (const [active, bodies] of files) {
      const own = job(serviceUrl(server), bodies, '"allowed":');
      await runLoad({ ...own, seconds: WARM_UP_SECONDS });
      log(rounds.add(`${active}`, await measureLoad({ server, job: own })));
      memory.set(active, server.anonymous());
    }
  }
  await server.stop();
  await bare.stop();
  const warm = rounds.median(`${ACTIVE[0]}`, "cpu");
  return ACTIVE.map((active) => {
    const cpu = rounds.median(`${active}`, "cpu");
    return {
      active,
      perSecond: rounds.median(`${active}`, "perSecond"),
      p99: rounds.median(`${active}`, "p99"),
      cpu,
      ofBare: cpu / rounds.median("bare", "cpu"),
      ofWarm: cpu / warm,
      memory: memory.get(active) ?? 0,
    };
  });
}

if (process.argv[1] === import.meta.filename) {
  try {
    console.table(await measureCrowd(console.error));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
