import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createCounters } from "../../src/decisions/counters.ts";
import { EffectivePolicies, type RewrittenPolicy } from "../../src/decisions/effective-policies.ts";
import { isExtended, portableStatements } from "../../src/decisions/portable-policies.ts";
import type { Principal } from "../../src/directory/directory.ts";
import { compile } from "../../src/engine/compile.ts";
import { decide } from "../../src/engine/decide.ts";
import { CONDITION_OPERATORS } from "../../src/model/condition.ts";
import type { Condition, NamedStatements, Statement } from "../../src/model/policy.ts";
import { context, policiesOf, required, user } from "../engine/arbitraries.ts";

const PARTITION = "svc";

function principalOf(username: string, policies: readonly NamedStatements[]): Principal {
  const effective = policies.map(({ name, statement }, index) => ({
    id: `id-${index}`,
    version: "1",
    name,
    creation_date: 0,
    statement,
    via: [],
  }));
  return { id: "user", username, properties: {}, groups: [], policies: effective };
}

function forms(form: "portable" | "exact") {
  const counters = createCounters({ cacheSize: () => 0, compiledSets: () => 0 });
  const reports: RewrittenPolicy[] = [];
  return {
    effective: new EffectivePolicies(form, counters, (policy) => reports.push(policy)),
    counters,
    reports,
  };
}

const statement = (condition?: Condition, effect = "allow"): Statement => ({
  effect,
  action: ["fs:*"],
  resource: "*",
  ...(condition === undefined ? {} : { condition }),
});

const SOURCE = { IpAddress: { SourceIp: ["10.0.0.0/8"] } };
const DEPARTMENT = { StringLike: { "subject.department": ["sales"] } };

describe("the portable form", () => {
  test("of what a data server can evaluate is what is stored, the very same objects", () => {
    const stored = [
      statement(),
      statement(SOURCE),
      statement({ StringLike: { SourceIp: ["10.*"] } }, "deny"),
    ];
    expect(portableStatements(stored).statements).toBe(stored);
  });

  test.each([
    ["another operator", { StringEquals: { SourceIp: ["10.1.1.1"] } }],
    ["another field", DEPARTMENT],
    ["a form for lists", { "ForAnyValue:StringLike": { "subject.tags": ["a"] } }],
    ["a form for what may be missing", { DateLessThanIfExists: { "context.time": ["2030-01-01"] } }],
    ["both", { ...DEPARTMENT, Bool: { "context.mfa": ["true"] } }],
  ])("with %s leaves out an allow and makes a deny unconditional", (_name, condition) => {
    expect(isExtended(condition)).toBe(true);
    const allowed = portableStatements([statement(condition), statement()]);
    expect(allowed).toEqual({ statements: [statement()], rewritten: ["left_out"] });
    const denied = portableStatements([statement(condition, "deny")]);
    expect(denied).toEqual({ statements: [statement(undefined, "deny")], rewritten: ["unconditional"] });
  });

  test("keeps an operator that nobody knows: it denies everything at a data server as it does here", () => {
    const stored = [statement({ Nope: { a: ["b"] }, StringEquals: { a: ["b"] } })];
    expect(portableStatements(stored).statements).toBe(stored);
  });

  test("keeps what denies everything beside an extended condition", () => {
    const broken = { IpAddress: { SourceIp: ["no address"] }, ...DEPARTMENT };
    const { statements } = portableStatements([statement(broken), statement()]);
    const policies = compile([{ name: "p", statement: statements }], {
      partition: PARTITION,
      evaluator: "data_server",
    });
    const asked = {
      user: "alice",
      required: { action: "fs:ReadObject", resource: "arn:svc:fs:::repository/a" },
    };
    expect(decide(policies, { ...asked, context: new Map([["SourceIp", "10.1.2.3"]]) }).effect).toBe("deny");
    expect(decide(policies, { ...asked, context: new Map() }).effect).toBe("allow");
  });
});

describe("effective policies", () => {
  test("omit a policy without statements left, count each rewriting and report a policy once", () => {
    const { effective, counters, reports } = forms("portable");
    const policies = [
      { name: "Conditional", statement: [statement(DEPARTMENT)] },
      { name: "Plain", statement: [statement()] },
    ];
    const principal = principalOf("alice", policies);
    expect(effective.of(principal).map(({ name }) => name)).toEqual(["Plain"]);
    expect(effective.of(principal)).toBe(effective.of(principal));
    effective.of(principalOf("bob", policies));
    expect(reports).toEqual([{ policy: "Conditional", rewritten: ["left_out"] }]);
    expect(counters.portableRewritings).toBe(2);
  });

  test("are as stored where the exact form is wanted", () => {
    const { effective } = forms("exact");
    const principal = principalOf("alice", [{ name: "Conditional", statement: [statement(DEPARTMENT)] }]);
    expect(effective.of(principal)).toBe(principal.policies);
  });

  test.each(["portable", "exact"] as const)(
    "(%s) of a user named with a wildcard have no allow on ${user}",
    (form) => {
      const own = (effect: string) => ({
        ...statement(undefined, effect),
        resource: "arn:svc:fs:::repository/${user}",
      });
      const principal = principalOf("a*", [
        { name: "Own", statement: [own("allow"), own("deny"), statement()] },
      ]);
      expect(forms(form).effective.of(principal)[0]?.statement).toEqual([own("deny"), statement()]);
    },
  );

  test("never grant a data server's user what the exact policies do not", () => {
    // Operators that this engine does not have yet deny everything here, and nothing can be said about them.
    const evaluable = ({ condition }: Statement): boolean =>
      Object.keys(condition ?? {}).every((name) => CONDITION_OPERATORS.includes(name) || name === "Nope");
    let granted = 0;
    let rewritten = 0;
    fc.assert(
      fc.property(policiesOf(4), user, required, context, (drawn, name, tree, fields) => {
        const policies = drawn.map((policy) => ({
          ...policy,
          statement: policy.statement.filter(evaluable),
        }));
        const { effective, counters } = forms("portable");
        const served = effective.of(principalOf(name, policies));
        const request = { user: name, required: tree, context: fields };
        const there = decide(
          compile(served, { partition: PARTITION, evaluator: "data_server" }),
          request,
        ).effect;
        const here = decide(
          compile(policies, { partition: PARTITION, evaluator: "extended" }),
          request,
        ).effect;
        if (there === "allow") expect(here).toBe("allow");
        if (here === "deny") expect(there).not.toBe("allow");
        granted += Number(there === "allow");
        rewritten += Number(counters.portableRewritings > 0);
      }),
      { numRuns: 10_000 },
    );
    expect(Math.min(granted, rewritten)).toBeGreaterThan(200);
  });
});
