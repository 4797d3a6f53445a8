/** First pages of searches over 10,000 users and 10,000 registered resources. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { folder, program, serviceUrl, token, write } from "./authorizer.ts";
import { startServer } from "./processes.ts";

const COUNT = 10_000;
const GROUPS = 100;
const ROUNDS = 9;
const ARN = "arn:svc:demo:::record/";

/** One row of the table, in milliseconds; wanted is less than 200. */
interface SearchRow {
  readonly name: string;
  /** Of the first such request. */
  readonly first: number;
  /** Median of several. */
  readonly median: number;
}

const padded = (index: number): string => String(index).padStart(5, "0");
const user = (index: number): string => `user-${padded(index)}`;
const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const LAST = padded(COUNT - 1);

function policy(name: string, action: string, resource: string, more: object = {}): unknown {
  return { name, statement: [{ effect: "allow", action: [action], resource: ARN + resource, ...more }] };
}

/** Everybody in two groups, with a policy of their own. */
function dataset(): unknown {
  const sales = { condition: { StringEquals: { "subject.department": ["department-49"] } } };
  const owner = { condition: { StringEquals: { "resource.owner": ["${user}"] } } };
  const everybody = ["Reads", "Own", "Sales", "Owner", "Refused", "Refuses"];
  return {
    format: 1,
    resource_types: [
      {
        type: "record",
        arn: `${ARN}{id}`,
        id: "{id}",
        actions: Object.fromEntries(
          ["Read", "Own", "Sell", "Keep", "Sign", "Lose", "Team"].map((verb) => [verb, `demo:${verb}`]),
        ),
      },
    ],
    policies: [
      policy("Reads", "demo:Read", "*"),
      policy("Own", "demo:Own", "${user}"),
      policy("Sales", "demo:Sell", "*", sales),
      policy("Owner", "demo:Keep", "*", owner),
      policy("Refused", "demo:Lose", "*"),
      policy("Refuses", "demo:Lose", "*", { effect: "deny" }),
      ...range(GROUPS).map((index) => policy(`Team-${index}`, "demo:Team", "*")),
      ...range(COUNT).map((index) => policy(`Signs-${index}`, "demo:Sign", padded(index))),
    ],
    groups: [
      { name: "Everybody", policies: everybody },
      ...range(GROUPS).map((index) => ({ name: `team-${index}`, policies: [`Team-${index}`] })),
    ],
    users: range(COUNT).map((index) => ({
      username: user(index),
      properties: { department: `department-${index % 50}` },
      groups: ["Everybody", `team-${index % GROUPS}`],
      policies: [`Signs-${index}`],
    })),
    resources: range(COUNT).map((index) => ({
      type: "record",
      id: padded(index),
      properties: { owner: user(index) },
    })),
  };
}

const subjects = (action: string, id: string) => ({
  path: "search/subject",
  body: { subject: { type: "user" }, action: { name: action }, resource: { type: "record", id } },
});
const resources = (action: string) => ({
  path: "search/resource",
  body: {
    subject: { type: "user", id: user(COUNT - 1) },
    action: { name: action },
    resource: { type: "record" },
  },
});

/** The searches, and the number of results on the first page. */
const SEARCHES = {
  "subjects: everybody": [subjects("Read", LAST), 100],
  "subjects: everybody, through 100 groups": [subjects("Team", LAST), 100],
  "subjects: one of 10,000, by a policy of its own": [subjects("Sign", LAST), 1],
  "subjects: one of 10,000, by name in a pattern": [subjects("Own", user(COUNT - 1)), 1],
  "subjects: one of 10,000, by name in a condition": [subjects("Keep", LAST), 1],
  "subjects: one in 50, by an attribute": [subjects("Sell", LAST), 100],
  "subjects: none, all denied": [subjects("Lose", LAST), 0],
  "resources: all": [resources("Read"), 100],
  "resources: one of 10,000, by pattern": [resources("Sign"), 1],
  "resources: one of 10,000, by an attribute": [resources("Keep"), 1],
  "who-can: everybody": [{ path: "who-can", body: { action: "demo:Read", resource: ARN + LAST } }, 100],
} as const;

async function milliseconds(base: string, path: string, body: unknown, expected: number): Promise<number> {
  const began = performance.now();
  const response = await fetch(`${base}/access/v1/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const { results } = (await response.json()) as { results?: unknown[] };
  if (results?.length !== expected) throw new Error(`${path}: ${results?.length} results`);
  return performance.now() - began;
}

function config(): string {
  return write(
    "search.yaml",
    JSON.stringify({
      listen_address: "127.0.0.1:0",
      database: { type: "local", local: { path: join(folder, "search") } },
      logging: { level: "ERROR" },
      auth: { api: { token }, encrypt: { secret_key: randomBytes(32).toString("base64url") } },
      authorizer: {
        listen_address: "127.0.0.1:0",
        metrics_address: "127.0.0.1:0",
        datasets: [write("search.json", JSON.stringify(dataset()))],
      },
    }),
  );
}

/** Measures first pages of 100 results. */
export async function measureSearches(log: (text: string) => void): Promise<SearchRow[]> {
  const server = await startServer([program, "run", "--config", config()]);
  const rows: SearchRow[] = [];
  for (const [name, [{ path, body }, expected]] of Object.entries(SEARCHES)) {
    const first = await milliseconds(serviceUrl(server), path, body, expected);
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      times.push(await milliseconds(serviceUrl(server), path, body, expected));
    }
    const median = times.sort((a, b) => a - b)[ROUNDS >> 1] as number;
    log(`${name}: first ${first.toFixed(0)} ms, then ${median.toFixed(0)} ms`);
    rows.push({ name, first, median });
  }
  await server.stop();
  return rows;
}

if (process.argv[1] === import.meta.filename) await measureSearches(console.log);
