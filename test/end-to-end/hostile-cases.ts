/** Requests that are made to hold up a service, each by one caller. */

import { CALLERS } from "./hostile-callers.ts";
import { allow, applying, arn, calling, type HostileCase, range } from "./hostile-calls.ts";
import { CONDITIONS, VARIABLES } from "./hostile-conditions.ts";
import { keyless, wideOf } from "./hostile-directory.ts";
import { sizedInTests } from "./hostile-sizes.ts";
import { TRANSPORT } from "./hostile-transport.ts";

const RESOURCES = sizedInTests(400, 2_000);
const CASES = sizedInTests(40, 80);
const USERS = sizedInTests(8_000, 40_000);

const fields = (count: number): string => range(count, (index) => `"a${index.toString(36)}":1`).join();
const objects = (count: number): string[] =>
  range(count, (index) => arn(`x${index % 100}_${index % 200}/1a2b3c`));
const tree = (leaves: number): unknown => ({
  and: range(leaves, (index) => ({ action: `fs:Act${index}`, resource: arn(`r${index}/x`) })),
});
const anyResource = (leaves: number): unknown => ({
  and: range(leaves, (index) => ({ any_resource: { action: `fs:Act${index}` } })),
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
    name: `a list of ${RESOURCES.toLocaleString("en")} long resources held against wildcards`,
    // Its work is near the budget: it may be answered, refused, or on a slow machine late.
    statuses: [200, 400, 503],
    run: calling("filter", () => ({
      user: "stars",
      action: "fs:ReadObject",
      resources: range(RESOURCES, (index) => arn(`${"ab".repeat(1500)}${index}`)),
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
    name: "what can a user with many statements",
    run: calling("what-can", () => ({ user: "wide", resource: arn("r5/x") })),
  },
  {
    name: "a plan of a user with many statements",
    run: calling("plan", () => ({ user: "wide", action: "fs:ReadObject", type: "object" })),
  },
  ...["wide", "patterned"].flatMap((user): HostileCase[] => [
    {
      name: `a tree of 998 actions on any resource, of the user ${user}`,
      run: calling("check", () => ({ user, required: anyResource(998) })),
    },
    {
      name: `the same, explained, of the user ${user}`,
      // Its answer may be larger than an answer may be; a busy machine may need longer for it than the service gives it.
      statuses: [200, 400, 503],
      run: calling("check", () => ({ user, required: anyResource(998), explain: true })),
    },
  ]),
  {
    name: "a tree of 900 actions held against patterns of actions",
    run: calling("check", () => ({ user: "patterned", required: tree(900) })),
  },
  {
    name: "an explained tree of 900 actions",
    run: calling("check", () => ({ user: "wide", required: tree(900), explain: true })),
  },
  {
    name: "simulated policies of 10,000 statements and 900 actions",
    run: calling("simulate", () => simulated(wideOf(10_000), tree(900))),
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
    name: `${CASES} simulated cases of 6,000 fields`,
    run: calling("simulate", () => {
      const policies = '[{"name":"p","statement":[{"effect":"allow","action":["*"],"resource":"*"}]}]';
      const required = '{"action":"fs:ReadObject","resource":"x"}';
      const one = `{"user":"x","policies":${policies},"required":${required},"context":{${fields(6_000)}}}`;
      return `{"cases":[${range(CASES, () => one).join()}]}`;
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
    name: `a dry run of ${USERS.toLocaleString("en")} users as documents`,
    run: applying(() => ({
      format: 1,
      policies: range(100, (policy) => ({
        name: `applied-${policy}`,
        statement: [allow(["fs:ReadObject"], arn(`${policy}/*`))],
      })),
      groups: range(100, (group) => ({ name: `applied-${group}`, policies: [`applied-${group}`] })),
      users: range(USERS, (user) => ({ username: `applied-${user}`, groups: [`applied-${user % 100}`] })),
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
  ...[...QUESTIONS, ...CONDITIONS, ...VARIABLES, ...CALLERS].map((one) => ({ statuses: [200], ...one })),
];
