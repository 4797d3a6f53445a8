/** Requests that are made to hold up a service, each by one caller, and the directory that they are asked about. */
import { Buffer } from "node:buffer";
import { connect, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import {
  APPLIER,
  allow,
  applying,
  arn,
  calling,
  type HostileCase,
  range,
  type Target,
} from "./hostile-calls.ts";
import { CONDITIONS, ofResource, VARIABLES, variable } from "./hostile-conditions.ts";

/** Every statement is about everything or about one action: no two actions have the same statements. */
const wide = range(10, (policy) => ({
  name: `wide-${policy}`,
  statement: range(1000, (index) =>
    allow(index < 100 ? [`fs:Act${policy * 100 + index}`] : ["*"], arn(`r${policy * 1000 + index}/*`)),
  ),
}));

/** Resources without four literal characters in a row, many in each statement. */
const keyless = range(20, (policy) => ({
  name: `keyless-${policy}`,
  statement: [
    allow(["fs:ReadObject"], JSON.stringify(range(1000, (index) => arn(`*?${policy % 10}_${index % 100}`)))),
  ],
}));

/** Wildcards that match nearly everything at nearly every place. */
const stars = range(5, (policy) => ({
  name: `stars-${policy}`,
  statement: range(120, (index) => allow(["fs:ReadObject"], arn(`${"*a?".repeat(200)}${index}`))),
}));

/** Resources that name the user between wildcards, and many members who have them. */
const named = range(100, (index) => allow(["fs:NamedRead"], arn(`*\${user}*-${index % 10}*`)));
const members = range(2_000, (index) => ({ username: `member-${index}`, groups: ["named"] }));

/** The directory. */
export function hostileDataset(): unknown {
  const policies = [...wide, ...keyless, ...stars, ...variable, ...ofResource];
  const user = (username: string, own: readonly { readonly name: string }[]) => ({
    username,
    policies: own.map(({ name }) => name),
  });
  return {
    format: 1,
    policies: [
      ...policies,
      { name: "plain", statement: [allow(["fs:*"], arn("data/*"))] },
      { name: "directory", statement: [allow(["auth:*"], "*")] },
      { name: "named", statement: named },
    ],
    groups: [{ name: "named", policies: ["named"] }],
    users: [
      user("wide", wide),
      user("keyless", keyless),
      user("stars", stars),
      user("variable", variable),
      user("of-resource", ofResource),
      ...members,
      { username: "steady", policies: ["plain"] },
      { username: APPLIER.username, policies: ["directory"], credentials: [APPLIER.key] },
    ],
  };
}

function open(url: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  return socket;
}

/** Sends bytes as fast as they are taken; resolves when the connection is closed, or after a while. */
async function send(url: string, pieces: Iterable<string>, forMs = 15_000): Promise<void> {
  const socket = open(url);
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.resume();
  const sending = async () => {
    for (const piece of pieces) {
      if (socket.destroyed) return;
      if (!socket.write(piece)) {
        await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), closed]);
      }
    }
  };
  await Promise.race([Promise.all([sending(), closed]), setTimeout(forMs, undefined, { ref: false })]);
  socket.destroy();
}

const head = (path: string, lines: readonly string[]): string =>
  [`POST ${path} HTTP/1.1`, "Host: a", ...lines, "", ""].join("\r\n");

function* repeated(first: string, piece: string, times: number): Generator<string> {
  yield first;
  for (let index = 0; index < times; index++) yield piece;
}

const JSON_CHUNKED = ["Content-Type: application/json", "Transfer-Encoding: chunked"];
const fields = (count: number): string => range(count, (index) => `"a${index.toString(36)}":1`).join();
const authorized = ({ token }: Target, ...lines: string[]) => [`Authorization: Bearer ${token}`, ...lines];
const ONE_BYTE_PIECES = "1\r\n \r\n".repeat(10_000);
const objects = (count: number): string[] =>
  range(count, (index) => arn(`x${index % 100}_${index % 200}/1a2b3c`));
const tree = (leaves: number): unknown => ({
  and: range(leaves, (index) => ({ action: `fs:Act${index}`, resource: arn(`r${index}/x`) })),
});
const evaluations = (user: string, elements: readonly unknown[]): unknown => ({
  subject: { type: "user", id: user },
  action: { name: "fs:ReadObject" },
  resource: { type: "arn", id: arn("r5/x") },
  evaluations: elements,
});
const withContext = (body: unknown): unknown => ({
  ...(body as object),
  context: JSON.parse(`{${fields(9_000)}}`),
});
const simulated = (policies: readonly unknown[], required: unknown): unknown => ({
  user: "somebody",
  policies,
  required,
});

/** Bodies, connections and headers. */
const TRANSPORT: readonly HostileCase[] = [
  {
    name: "four log-in bodies in pieces of one byte",
    run: ({ program }) =>
      Promise.all(
        range(4, () =>
          send(program.user, repeated(head("/api/v1/auth/login", JSON_CHUNKED), ONE_BYTE_PIECES, 100)),
        ),
      ),
  },
  {
    name: "a head line of NDJSON in pieces of one byte",
    run: (target) =>
      send(
        target.program.service,
        repeated(
          head(
            "/access/v1/filter",
            authorized(target, "Content-Type: application/x-ndjson", "Transfer-Encoding: chunked"),
          ),
          ONE_BYTE_PIECES,
          100,
        ),
      ),
  },
  {
    name: "500 log-ins that do not end",
    run: async ({ program }) => {
      const length = head("/api/v1/auth/login", ["Content-Type: application/json", "Content-Length: 100"]);
      const sockets = range(500, () => open(program.user));
      for (const socket of sockets) socket.write(`${length}{`);
      await setTimeout(300);
      const started = performance.now();
      const answer = await fetch(`${program.user}/api/v1/auth/login`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ access_key_id: "x", secret_access_key: "y" }),
      });
      for (const socket of sockets) socket.destroy();
      if (answer.status !== 401) throw new Error(`log-in answered ${answer.status}`);
      if (performance.now() - started > 5000) throw new Error("log-in waited for the unfinished ones");
    },
  },
  {
    name: "100,000 requests ahead on one connection",
    run: ({ program }) =>
      send(
        program.service,
        repeated("", "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n".repeat(1000), 100),
        10_000,
      ),
  },
  {
    name: "100 scrapes of metrics at once",
    run: ({ program }) =>
      Promise.all(range(100, () => fetch(`${program.metrics}/metrics`).then((answer) => answer.text()))),
  },
  ...(
    [
      ["empty objects", `{"a":[${"{},".repeat(5_500_000)}{}]}`],
      ["empty arrays", `{"a":[${"[],".repeat(5_500_000)}[]]}`],
      ["different names", `{${range(1_100_000, (index) => `"${index.toString(36)}":${index}`).join()}}`],
      ["one long string of escapes", `{"a":"${"\\u0000".repeat(2_700_000)}"}`],
      ["one long number", `[${"1".repeat(16_000_000)}]`],
    ] as const
  ).map(([what, text]) => ({
    name: `16 MiB of JSON: ${what}`,
    statuses: [413],
    run: calling("filter", () => text),
  })),
  { name: "1 MiB of brackets", statuses: [400], run: calling("check", () => "[".repeat(1_000_000)) },
  {
    name: "half a MiB of repeated members about a request",
    statuses: [400],
    run: calling("request", () => `{${'"body":{},'.repeat(49_000)}"user":"steady"}`),
  },
  {
    name: "1 MiB of repeated members about a request",
    statuses: [413],
    run: calling("request", () => `{${'"body":{},'.repeat(100_000)}"user":"steady"}`),
  },
  ...(
    [
      ["lines that are no items", "1\n".repeat(500_000)],
      ["blank lines", "\n".repeat(2_000_000)],
    ] as const
  ).map(([what, lines]) => ({
    name: `a million bytes of ${what}`,
    run: (target: Target) =>
      fetch(`${target.program.service}/access/v1/filter`, {
        method: "POST",
        headers: { authorization: `Bearer ${target.token}`, "content-type": "application/x-ndjson" },
        body: `{"user":"steady","action":"fs:ReadObject"}\n${lines}`,
      }).then((answer) => answer.text()),
  })),
  {
    name: "filtered items that nobody reads",
    run: async (target) => {
      const socket = open(target.program.service);
      socket.pause();
      const length = 8 << 20;
      const lines = authorized(target, "Content-Type: application/x-ndjson", `Content-Length: ${length}`);
      socket.write(head("/access/v1/filter", lines));
      socket.write('{"user":"steady","action":"fs:ReadObject"}\n');
      const item = `${JSON.stringify(arn("data/object/x"))}\n`;
      socket.write(item.repeat(Math.floor(length / item.length) - 4));
      await setTimeout(2000);
      socket.destroy();
    },
  },
];

/** Questions within every limit that take much work. */
const QUESTIONS: readonly HostileCase[] = [
  { name: "a tree of 900 actions", run: calling("check", () => ({ user: "wide", required: tree(900) })) },
  {
    name: "a batch of 1,000 actions",
    run: calling("evaluations", () =>
      evaluations(
        "wide",
        range(1000, (index) => ({ action: { name: `fs:Act${index}` } })),
      ),
    ),
  },
  {
    name: "a list of 20,000 held against patterns without a key",
    run: calling("filter", () => ({ user: "keyless", action: "fs:ReadObject", resources: objects(20_000) })),
  },
  {
    name: "a list of 2,000 long resources held against wildcards",
    // Its work is near the budget: it may be answered, refused, or on a slow machine late.
    statuses: [200, 400, 503],
    run: calling("filter", () => ({
      user: "stars",
      action: "fs:ReadObject",
      resources: range(2000, (index) => arn(`${"ab".repeat(1500)}${index}`)),
    })),
  },
  {
    name: "a batch of 1,000 held against patterns without a key",
    run: calling("evaluations", () =>
      evaluations(
        "keyless",
        objects(1000).map((id) => ({ resource: { type: "arn", id } })),
      ),
    ),
  },
  {
    name: "who can, with patterns without a key",
    run: calling("who-can", () => ({ action: "fs:ReadObject", resource: arn("x1_1/1a2b3c") })),
  },
  {
    name: "who can, of 2,000 members with 100 patterns of their names",
    run: calling("who-can", () => ({ action: "fs:NamedRead", resource: arn("nobody-0-1-2-3-4-5-6-7-8-9") })),
  },
  {
    name: "a search for users, with patterns without a key",
    run: calling("search/subject", () => ({
      subject: { type: "user" },
      action: { name: "fs:ReadObject" },
      resource: { type: "arn", id: arn("x1_1/1a2b3c") },
    })),
  },
  {
    name: "what can a user with 10,000 statements",
    run: calling("what-can", () => ({ user: "wide", resource: arn("r5/x") })),
  },
  {
    name: "a plan of a user with 10,000 statements",
    run: calling("plan", () => ({ user: "wide", action: "fs:ReadObject", type: "object" })),
  },
  {
    name: "an explained tree of 900 actions",
    run: calling("check", () => ({ user: "wide", required: tree(900), explain: true })),
  },
  {
    name: "simulated policies of 10,000 statements and 900 actions",
    run: calling("simulate", () => simulated(wide, tree(900))),
  },
  {
    name: "simulated patterns without a key",
    run: calling("simulate", () => simulated(keyless, tree(900))),
  },
  {
    name: "a context of 98,000 fields with long names",
    statuses: [400],
    run: calling("check", () => {
      const part = (name: string) => `"${name.repeat(200)}":{${fields(49_000)}}`;
      const required = '{"action":"fs:ReadObject","resource":"*"}';
      return `{"user":"steady","required":${required},"context":{${part("x")},${part("y")}}}`;
    }),
  },
  {
    name: "a batch of 1,000 with 9,000 attributes by default",
    run: calling("evaluations", () =>
      withContext(
        evaluations(
          "variable",
          range(1000, (index) => ({ action: { name: "fs:ReadObject", properties: { index } } })),
        ),
      ),
    ),
  },
  {
    name: "80 simulated cases of 6,000 fields",
    run: calling("simulate", () => {
      const policies = '[{"name":"p","statement":[{"effect":"allow","action":["*"],"resource":"*"}]}]';
      const required = '{"action":"fs:ReadObject","resource":"x"}';
      const one = `{"user":"x","policies":${policies},"required":${required},"context":{${fields(6_000)}}}`;
      return `{"cases":[${range(80, () => one).join()}]}`;
    }),
  },
  {
    name: "200 problems below a name of a megabyte",
    statuses: [400],
    run: calling("simulate", () => {
      const condition = `{"StringEquals":{"${"f".repeat(1_000_000)}":[${range(200, () => "1").join()}]}}`;
      const statement = `{"effect":"allow","action":["*"],"resource":"*","condition":${condition}}`;
      return `{"user":"x","policies":[{"name":"p","statement":[${statement}]}],"required":${JSON.stringify({ action: "a:b", resource: "x" })}}`;
    }),
  },
  ...(
    [
      ["actions", { action: range(240_000, () => "a") }],
      ["slow actions", { action: range(3800, (index) => `${"?*".repeat(120)}${index}:x`) }],
      ["resources", { resource: JSON.stringify(range(150_000, () => "a")) }],
      ["values", { condition: { NumericEquals: { a: range(240_000, () => "x") } } }],
    ] as const
  ).map(([what, part]) => ({
    name: `a policy of a megabyte of ${what}`,
    statuses: [400],
    run: calling("/api/v1/auth/policies", () => ({
      name: "large",
      statement: [{ ...allow(["*"], "*"), ...part }],
    })),
  })),
  {
    name: "a dry run of 40,000 users as documents",
    run: applying(() => ({
      format: 1,
      policies: range(100, (policy) => ({
        name: `applied-${policy}`,
        statement: [allow(["fs:ReadObject"], arn(`${policy}/*`))],
      })),
      groups: range(100, (group) => ({ name: `applied-${group}`, policies: [`applied-${group}`] })),
      users: range(40_000, (user) => ({ username: `applied-${user}`, groups: [`applied-${user % 100}`] })),
    })),
  },
  {
    name: "simulated lists of 100,000 members",
    run: calling("simulate", () =>
      simulated(
        range(25, (policy) => {
          const name = range(4000, (index) => `list:${policy * 4000 + index},`);
          const condition = { StringEquals: { name } };
          return { name: `list-${policy}`, statement: [{ ...allow(["*"], "*"), condition }] };
        }),
        tree(900),
      ),
    ),
  },
];

/** All cases. */
export const HOSTILE_CASES: readonly HostileCase[] = [
  ...TRANSPORT,
  ...[...QUESTIONS, ...CONDITIONS, ...VARIABLES].map((one) => ({ statuses: [200], ...one })),
];

/** Bytes that one question of the steady caller takes. */
export const STEADY_QUESTION = Buffer.from(
  JSON.stringify({ user: "steady", required: { action: "fs:ReadObject", resource: arn("data/object/x") } }),
);
