/**
 * Requests made to hold up others, each sent by one caller: the longest time for which nothing at all was answered
 * meanwhile, as another caller on a connection of its own sees it, and by how much memory grew.
 */
import { rmSync } from "node:fs";
import { request } from "node:http";
import type { DatasetDocument } from "../src/datasets/dataset.ts";
import { folder, program, serviceUrl, token, write } from "./authorizer.ts";
import { localConfig } from "./cold.ts";
import { type StartedServer, startServer } from "./processes.ts";

/** One case. */
export interface HostileRow {
  readonly name: string;
  /** Status of the answer; 0 where there was none. */
  readonly status: number;
  /** Seconds until the answer. */
  readonly seconds: number;
  /** Longest wait of another caller, in milliseconds. */
  readonly longestHoldMs: number;
  /** Growth of the highest resident memory, in MiB. */
  readonly grewMiB: number;
}

interface Case {
  readonly name: string;
  readonly path: string;
  readonly body: () => unknown;
}

const arn = (text: string): string => `arn:svc:fs:::repository/${text}`;
const range = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const tree = (leaves: number): unknown => ({
  and: range(leaves, (index) => ({ action: `fs:Act${index}`, resource: arn(`r${index}/x`) })),
});

/** Statements about everything, and as many about one action each: no two actions have the same statements. */
const WIDE = range(10, (policy) => ({
  name: `wide-${policy}`,
  statement: range(1000, (index) => ({
    effect: "allow",
    action: index < 100 ? [`fs:Act${policy * 100 + index}`] : ["*"],
    resource: arn(`r${policy * 1000 + index}/*`),
  })),
}));

/** Resources without four literal characters in a row. */
const KEYLESS = range(20, (policy) => ({
  name: `keyless-${policy}`,
  statement: [
    {
      effect: "allow",
      action: ["fs:ReadObject"],
      resource: JSON.stringify(
        range(1000, (index) => arn(`*?${policy * 5 + Math.floor(index / 200)}_${index % 200}`)),
      ),
    },
  ],
}));

/** Resources that differ in single characters only. */
const ALIKE = range(20, (policy) => ({
  name: `alike-${policy}`,
  statement: [
    {
      effect: "allow",
      action: ["fs:WriteObject"],
      resource: JSON.stringify(
        range(1000, (index) => arn(`*?${[...(policy * 1000 + index).toString(5)].join("*?")}`)),
      ),
    },
  ],
}));

function dataset(): DatasetDocument {
  const policies = [...WIDE, ...KEYLESS, ...ALIKE];
  const user = (username: string, own: readonly { readonly name: string }[]) => ({
    username,
    policies: own.map(({ name }) => name),
  });
  return {
    format: 1,
    policies,
    users: [user("wide", WIDE), user("keyless", KEYLESS), user("alike", ALIKE), user("steady", [])],
  };
}

const text = (index: number): string => arn(`xx${index % 100}_${index % 200}/1a2b3c4d0e`);

const CASES: readonly Case[] = [
  { name: "`/check` of 900 actions", path: "check", body: () => ({ user: "wide", required: tree(900) }) },
  {
    name: "`/evaluations` with 1,000 different actions",
    path: "evaluations",
    body: () => ({
      subject: { type: "user", id: "wide" },
      resource: { type: "arn", id: arn("r5/x") },
      evaluations: range(1000, (index) => ({ action: { name: `fs:Act${index}` } })),
    }),
  },
  ...["keyless", "alike"].flatMap((user): Case[] => {
    const action = user === "alike" ? "fs:WriteObject" : "fs:ReadObject";
    return [
      {
        name: `\`/filter\` of 20,000, ${user} patterns`,
        path: "filter",
        body: () => ({ user, action, resources: range(20_000, text) }),
      },
      {
        name: `\`/evaluations\` × 1,000, ${user} patterns`,
        path: "evaluations",
        body: () => ({
          subject: { type: "user", id: user },
          action: { name: action },
          evaluations: range(1000, (index) => ({ resource: { type: "arn", id: text(index) } })),
        }),
      },
      {
        name: `\`/who-can\`, ${user} patterns`,
        path: "who-can",
        body: () => ({ action, resource: text(1) }),
      },
    ];
  }),
  {
    name: "`/simulate` of 900 actions, 10,000 statements",
    path: "simulate",
    body: () => ({ user: "u", policies: WIDE, required: tree(900) }),
  },
  {
    name: "`/simulate` of a list, 20,000 patterns",
    path: "simulate",
    body: () => ({ user: "u", policies: ALIKE, list: { action: "fs:WriteObject", resource: text(1) } }),
  },
  {
    name: "`/simulate` with explanation, 20,000 patterns",
    path: "simulate",
    body: () => ({
      user: "u",
      policies: ALIKE,
      explain: true,
      required: { and: range(100, (index) => ({ action: "fs:WriteObject", resource: text(index) })) },
    }),
  },
  {
    name: "`/simulate` of 1,000 conditions",
    path: "simulate",
    body: () => ({
      user: "u",
      policies: range(10, (policy) => ({
        name: `p${policy}`,
        statement: range(1000, (index) => ({
          effect: "deny",
          action: ["fs:*"],
          resource: "*",
          condition: { StringLike: { SourceIp: [`*${"?a".repeat(40)}${policy}${index}*`] } },
        })),
      })),
      required: tree(900),
      context: { SourceIp: "a".repeat(1000) },
    }),
  },
  {
    name: "`/filter` with a body of 15 MiB of empty lists",
    path: "filter",
    body: () => ({ user: "steady", action: "fs:ReadObject", resources: range(5_000_000, () => []) }),
  },
];

function send(server: StartedServer, path: string, body: string): Promise<number> {
  return new Promise((resolve) => {
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    };
    const sent = request(`${serviceUrl(server)}/access/v1/${path}`, { method: "POST", headers }, (answer) => {
      answer.resume();
      answer.on("end", () => resolve(answer.statusCode ?? 0));
    });
    sent.on("error", () => resolve(0)).end(body);
  });
}

/** Asks one question after the other until told to stop; gives the longest wait. */
function watch(server: StartedServer): () => Promise<number> {
  const body = JSON.stringify({ user: "steady", required: { action: "fs:ReadObject", resource: arn("x") } });
  let longest = 0;
  let done = false;
  const watching = (async () => {
    while (!done) {
      const began = performance.now();
      await send(server, "check", body);
      longest = Math.max(longest, performance.now() - began);
    }
  })();
  return async () => {
    done = true;
    await watching;
    return longest;
  };
}

/** Sends every case once. */
export async function measureHostile(log: (text: string) => void): Promise<HostileRow[]> {
  const data = write("hostile.json", JSON.stringify(dataset()));
  const config = localConfig("hostile");
  const server = await startServer([program, "run", "--config", config, "--authorizer.datasets", data]);
  const rows: HostileRow[] = [];
  for (const one of CASES) {
    const body = JSON.stringify(one.body());
    const before = server.peak();
    const stop = watch(server);
    const began = performance.now();
    const status = await send(server, one.path, body);
    const seconds = (performance.now() - began) / 1000;
    const longestHoldMs = await stop();
    log(`${one.name}: ${status} after ${seconds.toFixed(2)} s, held ${longestHoldMs.toFixed(0)} ms`);
    rows.push({ name: one.name, status, seconds, longestHoldMs, grewMiB: server.peak() - before });
  }
  await server.stop();
  return rows;
}

if (process.argv[1] === import.meta.filename) {
  try {
    await measureHostile(console.log);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
