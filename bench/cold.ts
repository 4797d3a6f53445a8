/**
 * Users who were not asked about before: 1,000 users in 20 groups, half of the questions refused, the local store,
 * default items. What a first question costs, and how many of them wait for the same work.
 */
import { randomBytes } from "node:crypto";
import { Agent, request } from "node:http";
import { join } from "node:path";
import type { DatasetDocument } from "@svc-authorizer/policy/model/dataset.ts";
import { largeDataset } from "../test/datasets/large-dataset.ts";
import { folder, program, serviceUrl, token, write } from "./authorizer.ts";
import { type StartedServer, startServer } from "./processes.ts";

/** The measurements at one size; times in milliseconds. */
interface ColdFigures {
  readonly statements: number;
  /** One batch of 1,000 evaluations about a user whose group nobody was asked about. */
  readonly batch: number;
  /** 32 single questions at once about such a user, until the last is answered. */
  readonly singles: number;
  /** Median of the first question about a user whose group is known. */
  readonly first: number;
  /** Median of the second question about the same user. */
  readonly second: number;
  /** Median of the first question about a user with a policy of their own besides a known group. */
  readonly firstWithOwn: number;
  /** MiB resident after all users were asked about. */
  readonly memory: number;
}

const POLICY_STATEMENTS = 100;
const GROUPS = 20;
const USERS = 1_000;
const BATCH = 1_000;
const SINGLES = 32;

/** The data set: every group has this many statements; every tenth user has a policy of their own. */
export function coldDataset(statements: number): DatasetDocument {
  const perPolicy = Math.min(statements, POLICY_STATEMENTS);
  const { users, groups, policies } = largeDataset({
    users: USERS,
    groups: GROUPS,
    policiesPerGroup: statements / perPolicy,
    statementsPerPolicy: perPolicy,
  }) as Required<Pick<DatasetDocument, "users" | "groups" | "policies">>;
  const own = users.filter((_, index) => hasOwn(index));
  return {
    format: 1,
    groups,
    users: users.map((user, index) =>
      hasOwn(index) ? { ...user, policies: [`own-${user.username}`] } : user,
    ),
    policies: [
      ...policies,
      ...own.map(({ username }) => ({
        name: `own-${username}`,
        statement: [
          {
            effect: "allow",
            action: ["fs:*"],
            resource: `arn:svc:fs:::repository/home/object/${username}/*`,
          },
        ],
      })),
    ],
  };
}

const hasOwn = (index: number): boolean => Math.floor(index / GROUPS) % 10 === 9;
/** Name of user number `index`. */
export const nameOf = (index: number): string => `user-${String(index).padStart(6, "0")}`;

/** Resource number `index` for a user: every other one is allowed. */
export function resourceFor(user: number, index: number): string {
  const kind = index % 2 === 0 ? "object/data" : "object/other";
  return `arn:svc:fs:::repository/team-${user % GROUPS}-0-${(index >> 1) % 8}/${kind}`;
}

const agent = new Agent({ keepAlive: true, maxSockets: SINGLES });

/** Posts a body; gives milliseconds until the whole answer was there. */
function post(server: StartedServer, path: string, body: unknown): Promise<number> {
  const text = JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
  };
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(`${serviceUrl(server)}${path}`, { agent, method: "POST", headers }, (response) => {
      response.resume();
      response.on("error", reject).on("end", () => {
        if (response.statusCode === 200) resolve(performance.now() - began);
        else reject(new Error(`${path}: ${response.statusCode}`));
      });
    });
    sent.on("error", reject).end(text);
  });
}

const check = (server: StartedServer, user: number, index = 0): Promise<number> =>
  post(server, "/access/v1/check", {
    user: nameOf(user),
    required: { action: "fs:ReadObject", resource: resourceFor(user, index) },
  });

/** Asks about every user once, so that all are in the cache and their policies are compiled. */
export async function askAboutEverybody(server: StartedServer): Promise<void> {
  for (let user = 0; user < USERS; user++) await check(server, user);
}

/** Bodies about all users in turn, one a line, by endpoint; every other one is refused. */
export function questionBodies(): Readonly<Record<"evaluation" | "check", string>> {
  const bodies = (make: (user: string, resource: string) => unknown): string =>
    Array.from({ length: 2 * USERS }, (_, index) =>
      JSON.stringify(
        make(nameOf(index % USERS), resourceFor(index % USERS, index + Math.floor(index / USERS))),
      ),
    ).join("\n");
  return {
    evaluation: bodies((id, resource) => ({
      subject: { type: "user", id },
      action: { name: "fs:ReadObject" },
      resource: { type: "arn", id: resource },
    })),
    check: bodies((user, resource) => ({ user, required: { action: "fs:ReadObject", resource } })),
  };
}

function batchAbout(user: number): unknown {
  return {
    subject: { type: "user", id: nameOf(user) },
    action: { name: "fs:ReadObject" },
    evaluations: Array.from({ length: BATCH }, (_, index) => ({
      resource: { type: "arn", id: resourceFor(user, index) },
    })),
  };
}

/** A configuration with the local store and default items. */
export function localConfig(name: string, more: Record<string, unknown> = {}): string {
  const secret_key = randomBytes(32).toString("base64url");
  return write(
    `${name}.yaml`,
    JSON.stringify({
      listen_address: "127.0.0.1:0",
      database: { type: "local", local: { path: join(folder, name) } },
      logging: { level: "WARN" },
      auth: { api: { token }, encrypt: { secret_key } },
      authorizer: { listen_address: "127.0.0.1:0", metrics_address: "127.0.0.1:0", ...more },
    }),
  );
}

const median = (times: number[]): number => times.sort((a, b) => a - b)[times.length >> 1] as number;

/** Measures users with this many statements each. */
export async function measureCold(statements: number): Promise<ColdFigures> {
  const dataset = write(`cold-${statements}.json`, JSON.stringify(coldDataset(statements)));
  const config = localConfig(`cold-${statements}`);
  const server = await startServer([program, "run", "--config", config, "--authorizer.datasets", dataset]);
  const batch = await post(server, "/access/v1/evaluations", batchAbout(0));
  const began = performance.now();
  await Promise.all(Array.from({ length: SINGLES }, (_, index) => check(server, 1, index)));
  const singles = performance.now() - began;
  const first: number[] = [];
  const second: number[] = [];
  const firstWithOwn: number[] = [];
  for (let user = 0; user < USERS; user++) {
    const known = user >= GROUPS;
    const time = await check(server, user);
    if (known) (hasOwn(user) ? firstWithOwn : first).push(time);
    if (known) second.push(await check(server, user, 1));
  }
  const memory = server.rss();
  await server.stop();
  return {
    statements,
    batch,
    singles,
    first: median(first),
    second: median(second),
    firstWithOwn: median(firstWithOwn),
    memory,
  };
}

if (process.argv[1] === import.meta.filename) {
  const { rmSync } = await import("node:fs");
  try {
    for (const size of (process.argv[2] ?? "1000").split(",")) console.log(await measureCold(Number(size)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  agent.destroy();
}
