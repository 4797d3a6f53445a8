/**
 * `npm run bench -- --crowd`: a directory of 100,000 users in 20 groups of 1,000 statements each, on the local store with
 * default items: how much a question costs when more users ask than the cache holds (`auth.cache.size`, 1,024), by CPU
 * time, beside as many users as it does hold, and how much the first question of a user costs. Half of the questions are
 * refused.
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
/** The warm-up of a crowd goes on for a second for so many users, so that most of them have asked. */
const USERS_A_SECOND = 5_000;
/** The row of users who ask for the first time, and how long it may last before a file of them is at its end. */
const FIRST = "first";
const FIRST_SECONDS = 1;

/** One row of the table: users who ask, and what a question costs. */
interface CrowdRow {
  /** Users who ask, over and over; undefined: each asks for the first time. */
  readonly active: number | undefined;
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

/** Whole numbers below a bound, in an order without a pattern. */
function numbers(): (below: number) => number {
  let state = 42;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function question(user: number, resource: number): string {
  const required = { action: "fs:ReadObject", resource: resourceFor(user, resource) };
  return JSON.stringify({ user: nameOf(user), required });
}

/** Questions of `active` users in an order without a pattern, one a line. */
function crowd(active: number): string {
  const random = numbers();
  return Array.from({ length: QUESTIONS }, () => question(random(active), random(16))).join("\n");
}

/** One question of each user, in an order without a pattern, a file for a warm-up and one for each round. */
function firstQuestions(): readonly string[] {
  const random = numbers();
  const users = Array.from({ length: USERS }, (_, user) => user);
  for (let at = users.length - 1; at > 0; at--) {
    const other = random(at + 1);
    [users[at], users[other]] = [users[other] as number, users[at] as number];
  }
  const share = Math.floor(USERS / (ROUNDS + 1));
  return Array.from({ length: ROUNDS + 1 }, (_, round) =>
    users
      .slice(round * share, (round + 1) * share)
      .map((user) => question(user, random(16)))
      .join("\n"),
  );
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
  const memory = new Map<string, number>();
  const floor = job(bare.line.split(" ")[1] as string, files.get(ACTIVE[0] as number) as string, "true");
  await runLoad({ ...floor, seconds: WARM_UP_SECONDS });
  const crowds = ACTIVE.map((active) => `${active}`);
  const seconds = Math.min(SECONDS, FIRST_SECONDS);
  for (const [round, bodies] of firstQuestions().entries()) {
    const own = job(serviceUrl(server), write(`first-${round}`, bodies), '"allowed":');
    // Not the first questions of the process: these meet code that V8 has not compiled.
    if (round === 0) {
      await runLoad({ ...own, seconds: WARM_UP_SECONDS });
      continue;
    }
    log(rounds.add("bare", await measureLoad({ server: bare, job: floor })));
    log(rounds.add(FIRST, await measureLoad({ server, job: { ...own, seconds } })));
  }
  memory.set(FIRST, server.anonymous());
  for (let round = 0; round < ROUNDS; round++) {
    log(rounds.add("bare", await measureLoad({ server: bare, job: floor })));
    for (const [active, bodies] of files) {
      const own = job(serviceUrl(server), bodies, '"allowed":');
      await runLoad({ ...own, seconds: WARM_UP_SECONDS + (round === 0 ? active / USERS_A_SECOND : 0) });
      log(rounds.add(`${active}`, await measureLoad({ server, job: own })));
      memory.set(`${active}`, server.anonymous());
    }
  }
  await server.stop();
  await bare.stop();
  const warm = rounds.median(`${ACTIVE[0]}`, "cpu");
  return [...crowds, FIRST].map((name) => {
    const cpu = rounds.median(name, "cpu");
    return {
      active: name === FIRST ? undefined : Number(name),
      perSecond: rounds.median(name, "perSecond"),
      p99: rounds.median(name, "p99"),
      cpu,
      ofBare: cpu / rounds.median("bare", "cpu"),
      ofWarm: cpu / warm,
      memory: memory.get(name) ?? 0,
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
