import { compile } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { type Narrowed, narrowPolicies } from "@svc-authorizer/policy/engine/decide/may-allow.ts";
import type { DecisionContext } from "@svc-authorizer/policy/model/decision.ts";
import type { Condition, NamedStatements } from "@svc-authorizer/policy/model/policy.ts";
import { describe, expect, it } from "vitest";

const R = "arn:svc:demo:::record/";
const NAMES = ["alice", "bob", "a*"];

type Written = readonly [
  resource: string,
  condition?: Condition | undefined,
  effect?: string,
  action?: string,
];

const policy = (name: string, ...statements: Written[]): NamedStatements => ({
  name,
  statement: statements.map(([resource, condition, effect = "allow", action = "demo:Read"]) => ({
    effect,
    action: [action],
    resource,
    ...(condition === undefined ? {} : { condition }),
  })),
});

function narrow(
  policies: readonly NamedStatements[],
  resource = `${R}alice`,
  context: DecisionContext = new Map([["resource.owner", "alice"]]),
): Narrowed {
  const compiled = compile(policies, { partition: "svc", evaluator: "extended" });
  const steps = narrowPolicies(compiled, { action: "demo:Read", resource, context });
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Returns for each policy the users whom it can allow. */
const allowing = (narrowed: Narrowed): Record<string, string[]> =>
  Object.fromEntries([...narrowed.allowing].map(([name, { mayBe }]) => [name, NAMES.filter(mayBe)]));

describe("policies that can allow", () => {
  it("are those with the action and the resource", () => {
    const found = narrow([
      policy("all", ["*"]),
      policy("prefix", [`${R}*`]),
      policy("list", [`["${R}x","${R}alice"]`]),
      policy("other", [`${R}x`], ["arn:svc:other:::record/alice"]),
      policy("action", ["*", undefined, "allow", "demo:Write"]),
      policy("denies", ["*", undefined, "deny"]),
      policy("broken", ["[oops]"]),
    ]);
    expect(allowing(found)).toEqual({ all: NAMES, prefix: NAMES, list: NAMES });
    expect([...found.relevant].sort()).toEqual(["all", "broken", "denies", "list", "prefix"]);
  });

  it("allow by name where the resource names the user, also before the last field", () => {
    expect(allowing(narrow([policy("p", [`${R}\${user}`], [`${R}\${user}/*`])]))).toEqual({ p: ["alice"] });
    expect(allowing(narrow([policy("p", [`${R}x-\${user}`])]))).toEqual({});
    const account = policy("p", ["arn:svc:demo::${user}:record/r"]);
    expect(allowing(narrow([account], "arn:svc:demo::bob:record/r"))).toEqual({ p: ["bob"] });
    expect(allowing(narrow([policy("p", ["${user}"])], "*"))).toEqual({ p: [] });
  });

  it("allow by name where the condition does", () => {
    const own = { StringEquals: { "resource.owner": ["${user}"] } };
    const found = narrow([policy("p", ["*", own]), policy("q", ["*", own], [`${R}\${user}`])]);
    expect(allowing(found)).toEqual({ p: ["alice"], q: ["alice"] });
    // In the data server's operators it is ordinary text.
    expect(allowing(narrow([policy("p", ["*", { StringLike: { "resource.owner": ["${user}"] } }])]))).toEqual(
      { p: [] },
    );
  });

  it("allow anybody where a test of the name would take long", () => {
    const templates = (count: number): Written[] =>
      Array.from({ length: count }, (_, index) => [`${R}*\${user}*${index}*`]);
    const resource = `${R}alice-${Array.from({ length: 1_000 }, (_, index) => index).join("-")}`;
    expect(allowing(narrow([policy("few", ...templates(10))], resource))).toEqual({ few: ["alice"] });
    expect(allowing(narrow([policy("many", ...templates(1_000))], resource))).toEqual({ many: NAMES });
  });

  it("are not those whose condition holds for nobody", () => {
    const of = (owner: string) => ({ StringEquals: { "resource.owner": [owner] } });
    expect(allowing(narrow([policy("p", ["*", of("alice")]), policy("q", ["*", of("bob")])]))).toEqual({
      p: NAMES,
    });
  });

  it("allow by attributes where those alone decide", () => {
    const sales = { StringEquals: { "subject.team": ["sales"] } };
    const found = narrow([policy("p", ["*", sales]), policy("q", [`${R}\${user}`])]);
    expect(allowing(found)).toEqual({ p: NAMES, q: ["alice"] });
    expect(found.byFields?.mayBe("bob", new Map([["subject.team", "sales"]]))).toBe(true);
    expect(found.byFields?.mayBe("bob", new Map())).toBe(false);
    expect(found.byFields?.mayBe("alice", new Map())).toBe(true);
    expect(narrow([policy("p", ["*", sales]), policy("q", ["*"])]).byFields).toBeUndefined();
  });

  it("are relevant, about whatever, where they can fail", () => {
    const ip = { IpAddress: { SourceIp: ["10.0.0.0/8"] } };
    const found = narrow([
      policy("ip", ["*", ip, "allow", "demo:Write"]),
      policy("unknown", ["*", { Nope: {} }, "deny", "demo:Write"]),
      policy("sound", ["*", { StringLike: { a: ["b"] } }, "deny", "demo:Write"]),
    ]);
    expect([...found.relevant].sort()).toEqual(["ip", "unknown"]);
  });
});
