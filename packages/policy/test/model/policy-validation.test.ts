import type { NamedStatements, Statement } from "@svc-authorizer/policy/model/policy.ts";
import {
  DEFAULT_POLICY_LIMITS,
  type PolicyRules,
  policyProblems,
} from "@svc-authorizer/policy/model/policy-validation.ts";
import { describe, expect, it } from "vitest";
import { type BrokenDocument, readDocuments } from "../catalog/documents.ts";

const services = new Set(["fs", "auth", "ci", "retention", "branches", "pr", "catalog"]);
const rules: PolicyRules = { partition: "svc", services, guards: "strict" };
const readAll: Statement = { effect: "allow", action: ["fs:Read*"], resource: "*" };

function messages(statement: Partial<Statement>, change: Partial<PolicyRules> = {}): string[] {
  const policy = { name: "P", statement: [{ ...readAll, ...statement }] };
  return policyProblems(policy, { ...rules, ...change }).map(({ message }) => message);
}

describe("the rules of spec/evaluation §11", () => {
  it.each(readDocuments<BrokenDocument>("policy-rules"))("hold for %s", (_, { document, pointers }) => {
    const problems = policyProblems(document as NamedStatements, rules);
    expect(problems.map(({ pointer }) => pointer).sort()).toEqual([...pointers].sort());
  });

  it("say what to write instead", () => {
    expect(messages({ effect: "DENY" })).toEqual(['must be in lower case: write "deny"']);
    expect(messages({ effect: "" })).toEqual(['must be "allow" or "deny"']);
    expect(messages({ action: ["s3:Get"] })[0]).toContain("known are fs, auth, ci");
    expect(messages({ resource: "arn:aws:fs:::x" })[0]).toContain("arn:svc:SERVICE:::RESOURCE");
    expect(messages({ resource: '["*","x"]' })[0]).toContain("element 1 of the array");
  });

  it("follow the partition and the declared services", () => {
    expect(messages({ resource: "arn:acme:fs:::x" }, { partition: "acme" })).toEqual([]);
    expect(messages({ resource: "arn:svc:fs:::x" }, { partition: "acme" })).toHaveLength(1);
    expect(messages({ action: ["demo:Read"] })).toHaveLength(1);
    expect(messages({ action: ["demo:Read", "d*:Read"] }, { services: new Set(["demo"]) })).toEqual([]);
  });

  it("keep the name of the policy", () => {
    const named = (name: string, guards: PolicyRules["guards"]): number =>
      policyProblems({ name, statement: [readAll] }, { ...rules, guards }).length;
    expect([named("a%", "strict"), named("a%", "lenient"), named("a/b", "lenient")]).toEqual([1, 0, 1]);
  });
});

describe("limits", () => {
  it("hold on the byte", () => {
    const { actionBytes, arnBytes } = DEFAULT_POLICY_LIMITS;
    const action = (length: number): string =>
      `fs:${"é".repeat((length - 3) >> 1)}${"x".repeat((length - 3) & 1)}`;
    const arn = (length: number): string => "arn:svc:fs:::".padEnd(length, "x");
    expect(messages({ action: [action(actionBytes)], resource: arn(arnBytes) })).toEqual([]);
    expect(messages({ action: [action(actionBytes + 1)] })).toEqual(["must have at most 256 bytes"]);
    expect(messages({ resource: arn(arnBytes + 1) })).toEqual(["must have at most 4096 bytes"]);
    expect(messages({ resource: JSON.stringify(["*", arn(arnBytes + 1)]) })[0]).toContain("element 1");
  });

  it("hold on the number of statements and the size of the whole", () => {
    const policy = (count: number, action: string): NamedStatements => ({
      name: "P",
      statement: Array.from({ length: count }, () => ({ ...readAll, action: [action] })),
    });
    expect(policyProblems(policy(1_000, "fs:ReadObject"), rules)).toEqual([]);
    expect(policyProblems(policy(1_001, "fs:ReadObject"), rules)).toEqual([
      { pointer: "/statement", message: expect.stringContaining("1001") },
    ]);
    expect(policyProblems(policy(1_000, `fs:${"x".repeat(60)}`), rules)).toEqual([
      { pointer: "", message: expect.stringContaining("102400") },
    ]);
  });

  it("can be set one by one", () => {
    const limits = { statementsPerPolicy: 1, actionBytes: 8 };
    expect(messages({ action: ["fs:Read*"] }, { limits })).toEqual([]);
    expect(messages({ action: ["fs:ReadTag"] }, { limits })).toEqual(["must have at most 8 bytes"]);
    expect(policyProblems({ name: "P", statement: [readAll, readAll] }, { ...rules, limits })).toHaveLength(
      1,
    );
  });
});

it("is quick on patterns that are made to be slow", () => {
  const action = `${"*?".repeat(124)}:Read`;
  const statement = Array.from({ length: 300 }, () => ({ ...readAll, action: [action] }));
  const begin = process.cpuUsage();
  expect(policyProblems({ name: "P", statement }, rules)).toHaveLength(300);
  expect(process.cpuUsage(begin).user / 1_000).toBeLessThan(1_000);
});

it.each([
  ["actions", [{ ...readAll, action: Array.from({ length: 250_000 }, () => "a") }]],
  ["actions that are made to be slow", [{ ...readAll, action: Array(4_000).fill(`${"?*".repeat(120)}:x`) }]],
  ["resources", [{ ...readAll, resource: JSON.stringify(Array(200_000).fill("a")) }]],
  ["values", [{ ...readAll, condition: { NumericEquals: { a: Array(250_000).fill("x") } } }]],
])("says of a megabyte of %s nothing but that it is too large", (_what, statement) => {
  const begin = process.cpuUsage();
  expect(policyProblems({ name: "P", statement }, rules)).toEqual([
    { pointer: "", message: expect.stringContaining("at most 102400 are allowed") },
  ]);
  expect(process.cpuUsage(begin).user / 1_000).toBeLessThan(200);
});

it("takes little for services that are made to be slow, in a policy as large as may be", () => {
  const statement = [{ ...readAll, action: Array(400).fill(`${"?*".repeat(120)}:x`) }];
  const begin = process.cpuUsage();
  expect(policyProblems({ name: "P", statement }, rules)).toHaveLength(400);
  expect(process.cpuUsage(begin).user / 1_000).toBeLessThan(100);
  expect(messages({ action: [`${"*".repeat(100)}f*s:Read`] })).toEqual([]);
});

it("refuses texts that are half of a surrogate pair", () => {
  expect(messages({ action: ["fs:\ud800"] })[0]).toContain("surrogate");
  expect(messages({ resource: "arn:svc:fs:::\udc00" })[0]).toContain("surrogate");
});
