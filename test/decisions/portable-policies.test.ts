import { compile } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { decide } from "@svc-authorizer/policy/engine/decide/decide.ts";
import { isExtended } from "@svc-authorizer/policy/model/condition.ts";
import { operatorOf } from "@svc-authorizer/policy/model/condition-operators.ts";
import type { DecisionContext } from "@svc-authorizer/policy/model/decision.ts";
import type { Condition, NamedStatements, Statement } from "@svc-authorizer/policy/model/policy.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { context, policiesOf, required, user } from "../../packages/policy/test/engine/arbitraries.ts";
import {
  conditionFields,
  conditionOf,
  sourceIp,
} from "../../packages/policy/test/engine/condition-arbitraries.ts";
import { createCounters } from "../../src/decisions/counters.ts";
import { EffectivePolicies, type RewrittenPolicy } from "../../src/decisions/effective-policies.ts";
import { portableStatements } from "../../src/decisions/portable-policies.ts";
import type { Principal } from "../../src/directory/principal.ts";
import { sized } from "../proofs/size.ts";

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
  return {
    id: "user",
    username,
    properties: {},
    isInactive: false,
    isOfService: false,
    groups: [],
    held: [],
    policies: effective,
  };
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
  it("of what a data server can evaluate is what is stored, the very same objects", () => {
    const stored = [
      statement(),
      statement(SOURCE),
      statement({ StringLike: { SourceIp: ["10.*"] } }, "deny"),
    ];
    expect(portableStatements(stored).statements).toBe(stored);
  });

  it("has no sid, which a data server does not know, and nothing else is rewritten for that", () => {
    const { statements, rewritten } = portableStatements([
      { sid: "A", ...statement(SOURCE) },
      { sid: "B", ...statement() },
    ]);
    expect(statements).toEqual([statement(SOURCE), statement()]);
    expect(rewritten).toEqual([]);
  });

  it.each([
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

  it("keeps an operator that nobody knows: it denies everything at a data server as it does here", () => {
    const stored = [statement({ Nope: { a: ["b"] }, StringEquals: { a: ["b"] } })];
    expect(portableStatements(stored).statements).toBe(stored);
  });

  it.each(["allow", "deny"])(
    "keeps what denies everything beside an extended condition in an %s",
    (effect) => {
      const broken = { IpAddress: { SourceIp: ["no address"] }, ...DEPARTMENT };
      const elsewhere = { ...statement(broken, effect), resource: "arn:svc:fs:::repository/elsewhere" };
      const { statements } = portableStatements([elsewhere, statement()]);
      const policies = compile([{ name: "p", statement: statements }], {
        partition: PARTITION,
        evaluator: "data_server",
      });
      const asked = {
        user: "alice",
        required: { action: "fs:ReadObject", resource: "arn:svc:fs:::repository/a" },
      };
      expect(decide(policies, { ...asked, context: new Map([["SourceIp", "10.1.2.3"]]) }).effect).toBe(
        "deny",
      );
      expect(decide(policies, { ...asked, context: new Map() }).effect).toBe("allow");
    },
  );
});

describe("effective policies", () => {
  it("omit a policy without statements left, count each rewriting and report a policy once", () => {
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

  it("are as stored where the exact form is wanted", () => {
    const { effective } = forms("exact");
    const principal = principalOf("alice", [{ name: "Conditional", statement: [statement(DEPARTMENT)] }]);
    expect(effective.of(principal)).toBe(principal.policies);
  });

  it.each(["portable", "exact"] as const)(
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

  it.each(["portable", "exact"] as const)("(%s) keep of such an allow that it denies everything", (form) => {
    const condition = { Unheard: { a: ["b"] } };
    const own = { ...statement(condition), resource: "arn:svc:fs:::repository/${user}" };
    const principal = principalOf("a*", [{ name: "Own", statement: [own, statement()] }]);
    expect(forms(form).effective.of(principal)[0]?.statement).toEqual([
      { effect: "deny", action: ["none:None"], resource: "*", condition },
      statement(),
    ]);
  });
});

/** Policies in which most statements have a condition with any operator on any field. */
const conditionalPolicies = (condition: fc.Arbitrary<Condition>): fc.Arbitrary<NamedStatements[]> =>
  fc
    .tuple(policiesOf(3), fc.array(fc.option(condition), { minLength: 9, maxLength: 9 }))
    .map(([policies, conditions]) =>
      policies.map(({ name, statement: statements }, place) => ({
        name,
        statement: statements.map((one, index) => {
          const drawn = conditions[place * 3 + index];
          return drawn === null || drawn === undefined ? one : { ...one, condition: drawn };
        }),
      })),
    );

/** Addresses in other fields than the data server's can be erroneous only where the fields are known. */
function onlySourceIp(condition: Condition): Condition {
  const entries = Object.entries(condition).map(([name, fields]) => {
    const { plain, kind } = operatorOf(name) ?? {};
    const values = Object.values(fields)[0];
    return [name, plain && kind === "ip" && values !== undefined ? { SourceIp: values } : fields];
  });
  return Object.fromEntries(entries);
}

/** Compares what a data server grants from the portable form with what this service grants. */
function neverGrantsMore(
  condition: fc.Arbitrary<Condition>,
  fields: fc.Arbitrary<{ readonly here: DecisionContext; readonly there: DecisionContext }>,
): void {
  const seen = { granted: 0, granted_rewritten: 0, withheld: 0 };
  fc.assert(
    fc.property(conditionalPolicies(condition), user, required, fields, (policies, name, tree, contexts) => {
      const { effective, counters } = forms("portable");
      const served = effective.of(principalOf(name, policies));
      const ask = (
        from: readonly NamedStatements[],
        evaluator: "extended" | "data_server",
        context: DecisionContext,
      ) =>
        decide(compile(from, { partition: PARTITION, evaluator }), { user: name, required: tree, context });
      const there = ask(served, "data_server", contexts.there).effect;
      const here = ask(policies, "extended", contexts.here).effect;
      if (there === "allow") expect(here).toBe("allow");
      const rewritten = counters.portableRewritings > 0;
      seen.granted += Number(there === "allow");
      seen.granted_rewritten += Number(there === "allow" && rewritten);
      seen.withheld += Number(here === "allow" && there !== "allow");
    }),
    { numRuns: sized(1_500, 4_000) },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(sized(5, 20));
}

describe("a data server is never granted what the exact policies do not grant", () => {
  it("when it knows every field, lists and unreadable values too", () => {
    const fields = fc.oneof(context, conditionFields).map((both) => ({ here: both, there: both }));
    neverGrantsMore(conditionOf(2), fields);
  });

  it("when it knows the address alone", () => {
    const fields = fc.tuple(fc.option(sourceIp), conditionFields).map(([address, others]) => {
      const there = new Map(address === null ? [] : [["SourceIp", address]]);
      others.delete("SourceIp");
      return { here: new Map([...others, ...there]), there };
    });
    neverGrantsMore(conditionOf(2).map(onlySourceIp), fields);
  });
});
