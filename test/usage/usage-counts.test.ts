import type { RequiredPermissions } from "@svc-authorizer/policy/model/decision.ts";
import type { Statement } from "@svc-authorizer/policy/model/policy.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { CheckRequest } from "../../src/decisions/decisions.ts";
import { statementDigest } from "../../src/usage/statement-digest.ts";
import { UsageCounts } from "../../src/usage/usage-counts.ts";
import type { UsageRow } from "../../src/usage/usage-rows.ts";
import { openWorld, type World } from "../decisions/world.ts";

const ARN = "arn:svc:fs:::repository/";
const allow = (resource: string, action = ["fs:*"]): Statement => ({ effect: "allow", action, resource });
const STATEMENTS: Readonly<Record<string, readonly Statement[]>> = {
  Shared: [allow(`${ARN}shared/*`)],
  OfOne: [allow(`${ARN}one/*`, ["fs:ReadObject"]), allow(`${ARN}both/*`)],
  OfTwo: [{ ...allow(`${ARN}two/secret`), effect: "deny" }, allow(`${ARN}two/*`)],
  Own: [allow(`${ARN}own/*`)],
  Failing: [{ ...allow("*"), condition: { IpAddress: { SourceIp: ["10.0.0.0/8"] } } }],
};
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  one: ["OfOne", "Shared"],
  two: ["OfTwo", "Shared"],
  // As the first: their members share all that is compiled.
  twin: ["OfOne", "Shared"],
};

/** Counts by kind, name, statement and action; a statement is named by its index. */
function summed(rows: Iterable<UsageRow>): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const { kind, name, part, action, count } of rows) {
    const index = STATEMENTS[name]?.findIndex((one) => statementDigest(one) === part);
    const key = kind === "statement" ? `${name}[${index}] ${action}` : `${kind} ${name}`;
    sums[key] = (sums[key] ?? 0) + count;
  }
  return sums;
}

it("a use for which there is no room is noted", () => {
  const counts = new UsageCounts();
  for (let index = 0; index < 500_000; index++) counts.usedKey(`AKIA${index}`);
  expect(counts.takeMissed()).toBe(false);
  counts.usedKey("AKIAONEMORE");
  expect([counts.takeMissed(), counts.takeMissed()]).toEqual([true, false]);
});

const USERS: Readonly<
  Record<string, { readonly groups: readonly string[]; readonly policies: readonly string[] }>
> = {
  member: { groups: ["one"], policies: [] },
  twin: { groups: ["twin"], policies: [] },
  several: { groups: ["one", "two"], policies: ["Own", "Shared"] },
  failing: { groups: ["one"], policies: ["Failing"] },
};

/** User, resource, and what counts for a decision about reading it, besides the user. */
const QUESTIONS: readonly (readonly [string, string, readonly string[]])[] = [
  ["member", "one/a", ["OfOne[0] fs:ReadObject", "group one"]],
  ["member", "both/a", ["OfOne[1] fs:ReadObject", "group one"]],
  ["member", "shared/a", ["Shared[0] fs:ReadObject", "group one"]],
  ["member", "two/a", []],
  ["twin", "one/a", ["OfOne[0] fs:ReadObject", "group twin"]],
  ["several", "one/a", ["OfOne[0] fs:ReadObject", "group one"]],
  ["several", "two/a", ["OfTwo[1] fs:ReadObject", "group two"]],
  ["several", "two/secret", ["OfTwo[0] fs:ReadObject", "group two"]],
  ["several", "own/a", ["Own[0] fs:ReadObject"]],
  ["several", "shared/a", ["Shared[0] fs:ReadObject", "group one", "group two"]],
  ["several", "nowhere/a", []],
  ["failing", "one/a", ["Failing[0] fs:ReadObject"]],
];

const ACTION = "fs:ReadObject";
const TIMES = 3;
/** No address: a condition that reads it fails. */
const FIELDS = new Map([["SourceIp", "nowhere"]]);

describe("counts of decisions", () => {
  let now = 1_000;
  let counts: UsageCounts;
  let world: World;

  beforeAll(async () => {
    counts = new UsageCounts(() => now);
    world = await openWorld({ usage: counts }, undefined, "lenient");
    const { directory } = world;
    for (const [name, statement] of Object.entries(STATEMENTS)) {
      await directory.policies.create({ name, statement });
    }
    for (const [name, policies] of Object.entries(GROUPS)) {
      await directory.groups.create({ name });
      for (const policy of policies) await directory.groups.attachPolicy(name, policy);
    }
    for (const [username, { groups, policies }] of Object.entries(USERS)) {
      await directory.users.create({ username });
      for (const group of groups) await directory.groups.addMember(group, username);
      for (const policy of policies) await directory.users.attachPolicy(username, policy);
    }
  });
  afterAll(() => world.close());
  beforeEach(() => void [...counts.taken()]);

  const asked = (user: string, required: RequiredPermissions, explain = false): CheckRequest => {
    return { user, required, context: FIELDS, explain, entrance: "check", requestId: "" };
  };
  const one = (user: string, name: string, explain = false) =>
    world.decisions.check(asked(user, { action: ACTION, resource: ARN + name }, explain));

  /** The counts of questions, each asked so many times. */
  const expected = (questions: typeof QUESTIONS, times = TIMES) => {
    const sums: Record<string, number> = {};
    for (const [user, , names] of questions) {
      for (const name of [`user ${user}`, ...names]) sums[name] = (sums[name] ?? 0) + times;
    }
    return sums;
  };

  it("name user, groups and statement", async () => {
    for (let time = 0; time < TIMES; time++) for (const [user, name] of QUESTIONS) await one(user, name);
    expect(summed(counts.taken())).toEqual(expected(QUESTIONS));
    expect([...counts.taken()]).toEqual([]);
  });

  it("are the same where a decision is explained", async () => {
    for (const [user, name] of QUESTIONS) await one(user, name, true);
    expect(summed(counts.taken())).toEqual(expected(QUESTIONS, 1));
  });

  it("are the same for lists", async () => {
    for (const name of Object.keys(USERS)) {
      const own = QUESTIONS.filter(([user]) => user === name);
      const resources = own.map(([, resource]) => ARN + resource);
      for (let time = 0; time < TIMES; time++) {
        await world.decisions.filter({
          user: name,
          action: ACTION,
          resources,
          context: FIELDS,
          requestId: "",
        });
      }
      expect(summed(counts.taken())).toEqual(expected(own));
    }
  });

  it("are the same for batches", async () => {
    // Of a user with conditions, batches ask one by one.
    for (const name of Object.keys(USERS).filter((user) => user !== "failing")) {
      await one(name, "nowhere/b");
      void [...counts.taken()];
      const outcomes = world.decisions.cachedOutcomes(
        { type: "user", id: name },
        ACTION,
        world.decisions.workBudget(),
      );
      const own = QUESTIONS.filter(([user]) => user === name);
      for (let time = 0; time < TIMES; time++) {
        for (const [, resource] of own) expect(outcomes?.("arn", ARN + resource)).toBeDefined();
      }
      expect(summed(counts.taken())).toEqual(expected(own));
    }
  });

  it("of a tree are those of its leaves, each statement with the actions that it names", async () => {
    const leaf = (action: string, name: string) => ({ action, resource: ARN + name });
    const and = [leaf(ACTION, "one/a"), leaf("fs:WriteObject", "both/a")];
    await world.decisions.check(asked("member", { and }));
    expect(summed(counts.taken())).toEqual({
      "user member": 1,
      "group one": 3,
      "OfOne[0] fs:ReadObject": 1,
      "OfOne[1] fs:ReadObject": 1,
      "OfOne[1] fs:WriteObject": 1,
    });
  });

  it("go on while they are written, and keep the time of the last use", async () => {
    await one("member", "one/a");
    await one("member", "both/a");
    now = 2_000;
    const rows: UsageRow[] = [];
    for (const row of counts.taken()) {
      rows.push(row);
      await one("member", "one/b");
    }
    await one("member", "one/c");
    const rest = [...counts.taken()];
    const asks = 2 + rows.length + 1;
    const sums = summed([...rows, ...rest]);
    expect(sums["user member"]).toBe(asks);
    expect(sums["group one"]).toBe(asks);
    expect(sums[`OfOne[0] ${ACTION}`]).toBe(asks - 1);
    expect(sums[`OfOne[1] ${ACTION}`]).toBe(1);
    for (const { count, last } of rest) expect([count > 0, last]).toEqual([true, 2_000]);
    now = 1_000;
  });

  it("of names that callers make up are bounded", async () => {
    for (let index = 0; index < 600; index++) {
      await world.decisions.check(asked("member", { action: `fs:Made${index}`, resource: `${ARN}both/a` }));
    }
    const rows = [...counts.taken()].filter(({ kind }) => kind === "statement");
    expect(rows.length).toBeLessThanOrEqual(501);
    expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(600);
    expect(rows.filter(({ action }) => action === "")).toHaveLength(1);
  });
});
