import { type Widening, widening } from "@svc-authorizer/policy/analysis/compare/widening.ts";
import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import type { Condition, NamedStatements, Statement } from "@svc-authorizer/policy/model/policy.ts";
import { describe, expect, it } from "vitest";

const vocabulary = await openCatalog({ partition: "svc" });
const REPO = "arn:svc:fs:::repository/";

function allow(action: string, resource = "*", condition?: Condition): Statement {
  return { effect: "allow", action: [action], resource, ...(condition && { condition }) };
}
function deny(action: string, resource = "*", condition?: Condition): Statement {
  return { ...allow(action, resource, condition), effect: "deny" };
}
function policy(...statement: Statement[]): NamedStatements[] {
  return [{ name: "p", statement }];
}
function compare(before: Statement[], after: Statement[], users?: string[]): Widening[] {
  const options = { partition: "svc", vocabulary, ...(users && { users }) };
  return widening(policy(...before), policy(...after), options);
}
const from = (...SourceIp: string[]): Condition => ({ IpAddress: { SourceIp } });

type Row = readonly [what: string, before: Statement[], after: Statement[]];

const NOT_WIDER: readonly Row[] = [
  ["the same policies", [allow("fs:*"), deny("auth:*")], [allow("fs:*"), deny("auth:*")]],
  ["fewer actions", [allow("fs:*")], [allow("fs:Read*")]],
  ["a pattern beside all that it matches", [allow("fs:Read*"), allow("fs:*")], [allow("fs:*")]],
  ["two patterns within one", [allow("fs:*")], [allow("fs:R*"), allow("fs:L*")]],
  ["an ARN within one", [allow("fs:*", `${REPO}a*`)], [allow("fs:*", `${REPO}a/branch/*`)]],
  ["a further deny", [allow("fs:*")], [allow("fs:*"), deny("fs:Delete*")]],
  ["a wider deny", [allow("fs:*"), deny("fs:*", `${REPO}a/x`)], [allow("fs:*"), deny("fs:*", `${REPO}a/*`)]],
  [
    "a deny in two parts that make the whole",
    [allow("fs:*", `${REPO}*`), deny("fs:*", `${REPO}*`)],
    [allow("fs:*", `${REPO}*`), deny("fs:*", REPO), deny("fs:*", `${REPO}?`), deny("fs:*", `${REPO}??*`)],
  ],
  [
    "a narrower address range",
    [allow("fs:*", "*", from("10.0.0.0/8"))],
    [allow("fs:*", "*", from("10.1.0.0/16"))],
  ],
  [
    "a deny on a wider address range",
    [allow("fs:*"), deny("fs:*", "*", from("10.1.0.0/16"))],
    [allow("fs:*"), deny("fs:*", "*", from("10.0.0.0/8"))],
  ],
  [
    "a condition in another order",
    [allow("fs:*", "*", { StringLike: { a: ["x"], b: ["y"] } })],
    [allow("fs:*", "*", { StringLike: { b: ["y"], a: ["x"] } })],
  ],
  [
    "a narrower pattern of a condition",
    [allow("fs:*", "*", { StringLike: { a: ["x*"] } })],
    [allow("fs:*", "*", { StringLike: { a: ["xy*", "x"] } })],
  ],
  [
    "an allow for oneself within one for all",
    [allow("fs:*", `${REPO}*`)],
    [allow("fs:*", `${REPO}\${user}/*`)],
  ],
];

/** The expected first widening: its cause and the request that shows it. */
type WiderRow = readonly [...Row, cause: Widening["cause"], action: string, resource: string];

const WIDER: readonly WiderRow[] = [
  ["a further action", [allow("fs:Read*")], [allow("fs:*")], "allow", "fs:CreateRepository", `${REPO}x`],
  [
    "one more letter",
    [allow("fs:ReadObject", `${REPO}?`)],
    [allow("fs:ReadObject", `${REPO}??`)],
    "allow",
    "fs:ReadObject",
    `${REPO}xx`,
  ],
  [
    "the gap between two denies",
    [allow("fs:ReadObject", `${REPO}*`), deny("fs:*", `${REPO}*`)],
    [
      allow("fs:ReadObject", `${REPO}*`),
      deny("fs:*", REPO),
      deny("fs:*", `${REPO}?`),
      deny("fs:*", `${REPO}???*`),
    ],
    "deny",
    "fs:ReadObject",
    `${REPO}xx`,
  ],
  [
    "everything, for want of a broken statement",
    [allow("fs:ReadObject", `${REPO}a`), allow("fs:ReadObject", "")],
    [allow("fs:ReadObject", `${REPO}a`)],
    "failure",
    "fs:ReadObject",
    `${REPO}a`,
  ],
  [
    "an effect that grants though it is misspelled",
    [],
    [{ ...deny("fs:ReadObject", `${REPO}a`), effect: "Deny" }],
    "allow",
    "fs:ReadObject",
    `${REPO}a`,
  ],
  [
    "a resource in a list",
    [allow("fs:ReadObject", `${REPO}a`)],
    [allow("fs:ReadObject", JSON.stringify([`${REPO}a`, `${REPO}b`]))],
    "allow",
    "fs:ReadObject",
    `${REPO}b`,
  ],
];

describe("no widening is", () => {
  it.each(NOT_WIDER)("%s", (_, before, after) => {
    expect(compare(before, after)).toEqual([]);
  });
});

describe("a widening is", () => {
  it.each(WIDER)("%s", (_, before, after, cause, action, resource) => {
    const [first] = compare(before, after);
    expect(first).toMatchObject({
      certainty: "certain",
      cause,
      counterexample: { required: { action, resource }, after: "allow" },
    });
  });

  it("an address out of the range of before", () => {
    const [first] = compare(
      [allow("fs:ReadObject", `${REPO}a`, from("10.1.0.0/16"))],
      [allow("fs:ReadObject", `${REPO}a`, from("10.0.0.0/8"))],
    );
    expect(first?.counterexample?.context).toEqual({ SourceIp: "10.0.0.0" });
  });

  it("the malformed address with which a lost condition made everything fail", () => {
    const before = [allow("fs:ReadObject", `${REPO}a`), deny("fs:WriteObject", "*", from("10.0.0.0/8"))];
    const found = compare(before, before.slice(0, 1));
    expect(found).toMatchObject([
      { cause: "failure", certainty: "certain", counterexample: { context: { SourceIp: "no-address" } } },
    ]);
  });

  it("the gate of lists, where a deny leaves nothing else", () => {
    const found = compare([], [allow("fs:ListRepositories", `${REPO}a`), deny("*")]);
    expect(found).toMatchObject([
      { cause: "list", counterexample: { required: { any_resource: { action: "fs:ListRepositories" } } } },
    ]);
  });
});

describe("conditions with further operators", () => {
  it("are compared by their text, and shown with values that make them hold", () => {
    const sales = { StringEquals: { "resource.department": ["sales"] } };
    const statement = allow("fs:ReadObject", `${REPO}a`, sales);
    expect(compare([statement], [statement])).toEqual([]);
    const other = allow("fs:ReadObject", `${REPO}a`, { StringEquals: { "resource.department": ["legal"] } });
    expect(compare([statement], [other])).toMatchObject([
      { certainty: "certain", counterexample: { context: { "resource.department": "legal" } } },
    ]);
  });

  it.each([
    ["a year", "2026", "2025"],
    ["a time with a fraction", "2026-01-01T00:00:00.123456Z", "2025-01-01T00:00:00.123456Z"],
    ["seconds", "1767225600", "1735689600"],
    ["seconds with a fraction", "1767225600.5", "1735689600.5"],
    ["seconds before 1970", "-1", "-99999999"],
    ["the last second that there is", "8640000000000", "1767225600"],
  ])("find an example where a date is %s", (_, later, earlier) => {
    const after = (date: string) =>
      allow("fs:ReadObject", `${REPO}a`, { DateGreaterThan: { "context.time": [date] } });
    expect(compare([after(later)], [after(earlier)])).toMatchObject([{ certainty: "certain" }]);
  });

  it("never hide a deny that is gone", () => {
    const late = { DateGreaterThan: { "context.time": ["2030-01-01T00:00:00Z"] } };
    const before = [allow("fs:ReadObject", `${REPO}a`), deny("fs:*", "*", late)];
    expect(compare(before, before.slice(0, 1))).toMatchObject([{ cause: "deny", certainty: "certain" }]);
  });
});

describe("conditions that no value was found for", () => {
  it("make a widening possible, and name themselves", () => {
    const odd = { StringNotLike: { a: ["*"] } };
    const found = compare([], [allow("fs:ReadObject", `${REPO}a`, odd), deny("auth:*")]);
    const point = { action: "fs:ReadObject", resource: `${REPO}a` };
    expect(found).toMatchObject([{ certainty: "possible", conditions: [odd], point }]);
  });
});

describe("${user}", () => {
  const own = allow("fs:ReadObject", `${REPO}\${user}/*`);

  it("is any user: one whom nothing names", () => {
    const [first] = compare([], [own]);
    expect(first?.anyUser).toBe(true);
    expect(first?.counterexample?.required).toEqual({
      action: "fs:ReadObject",
      resource: expect.stringContaining(`${REPO}${first?.user}/`),
    });
  });

  it("is the one user whom a literal resource spells, where only that one gains", () => {
    const alice = allow("fs:ReadObject", `${REPO}alice/*`);
    const found = compare([alice, deny("fs:*", `${REPO}\${user}/*`)], [alice]);
    expect(found).toMatchObject([{ user: "alice", anyUser: false, certainty: "certain", cause: "deny" }]);
  });

  it("is a user of a name as long as a pattern counts", () => {
    const named = allow("fs:ReadObject", `${REPO}\${user}`);
    const [first] = compare([named, deny("fs:*", `${REPO}???`)], [named]);
    expect(first?.user).toHaveLength(3);
  });

  it("is said to be undecided where patterns count more characters than names are tried with", () => {
    const all = Array.from({ length: 40 }, (_, count) => allow("fs:*", REPO + "?".repeat(count + 1)));
    const found = compare(
      [...all, allow("fs:*", `${REPO + "?".repeat(41)}*`)],
      [allow("fs:*", `${REPO}\${user}`)],
    );
    expect(found).toMatchObject([{ certainty: "undecided" }]);
  });

  it("gives nothing to a user whose name acts as a wildcard, so that other allows are wider", () => {
    const [first] = compare([own], [allow("fs:ReadObject", `${REPO}*`)], ["*"]);
    expect(first).toMatchObject({ certainty: "certain", user: "*" });
  });

  it("is each of the users that are given, and nobody else", () => {
    const after = [allow("fs:ReadObject", `${REPO}\${user}/*`)];
    const before = [allow("fs:ReadObject", `${REPO}bob/*`)];
    expect(compare(before, after, ["bob"])).toEqual([]);
    expect(compare(before, after, ["bob", "eve"])).toMatchObject([{ user: "eve", anyUser: false }]);
  });
});

describe("the work", () => {
  it("is bounded: what cannot be decided in time is said to be undecided", () => {
    const hard = (letter: string): Statement[] =>
      Array.from({ length: 60 }, (_, index) => ({
        effect: index % 2 === 0 ? "allow" : "deny",
        action: [`*${letter}${"?".repeat(index % 12)}*x`],
        resource: `arn:svc:fs:::*a${"?".repeat(index % 30)}${letter}*b${"?".repeat(index % 20)}`,
      }));
    const found = compare(hard("a"), hard("b"));
    expect(found.length).toBeGreaterThan(0);
    for (const { certainty, counterexample } of found) {
      expect(counterexample !== undefined).toBe(certainty === "certain");
    }
  });

  it("ends at the limit", () => {
    const many = Array.from({ length: 20 }, (_, index) => allow("fs:ReadObject", `${REPO}r${index}`));
    const found = widening([], policy(...many), { partition: "svc", limit: 3 });
    expect(found).toHaveLength(3);
  });

  it("leaves nothing to find for whoever holds everything", () => {
    const shipped = vocabulary.preconfigured.policies;
    const all = policy(allow("*"));
    expect(widening(all, shipped, { partition: "svc", vocabulary })).toEqual([]);
    expect(widening(shipped, all, { partition: "svc", vocabulary })).not.toEqual([]);
  });
});
