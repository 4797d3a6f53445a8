import { compile } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { CompiledCondition } from "@svc-authorizer/policy/engine/conditions/conditions.ts";
import { decide } from "@svc-authorizer/policy/engine/decide/decide.ts";
import { explain } from "@svc-authorizer/policy/engine/explain/explain.ts";
import { STEP_UNITS } from "@svc-authorizer/policy/engine/work.ts";
import { operatorOf } from "@svc-authorizer/policy/model/condition-operators.ts";
import type { Condition } from "@svc-authorizer/policy/model/policy.ts";
import { describe, expect, it } from "vitest";
import {
  CASE_USER,
  CONDITION_CASES,
  type ConditionCase,
  EFFECTS,
  fieldsOf,
  statementsOf,
} from "./condition-cases.ts";

const required = { action: "fs:ReadObject", resource: "arn:svc:fs:::repository/a/object/b" };

function compiled(one: ConditionCase, effect: "allow" | "deny", evaluator: "extended" | "data_server") {
  const statement = statementsOf(one, effect, required.action);
  return compile([{ name: "p", statement }], { partition: "svc", evaluator });
}

describe("the engine evaluates conditions as the fixture says", () => {
  it.each(CONDITION_CASES)("$id", (one) => {
    const request = { user: CASE_USER, required, context: fieldsOf(one) };
    for (const effect of EFFECTS) {
      const policies = compiled(one, effect, "extended");
      expect([effect, decide(policies, request).effect]).toEqual([effect, one[effect]]);
      expect(explain(policies, request).effect).toBe(one[effect]);
    }
  });
});

describe("the data server's evaluator", () => {
  const isPlain = ({ condition }: ConditionCase): boolean =>
    Object.keys(condition).every((name) => operatorOf(name)?.plain);

  it("takes every other operator for an error", () => {
    const extended = CONDITION_CASES.filter((one) => !isPlain(one));
    expect(extended.length).toBeGreaterThan(500);
    for (const one of extended) {
      const request = { user: CASE_USER, required, context: fieldsOf(one) };
      expect([one.id, decide(compiled(one, "allow", "data_server"), request).effect]).toEqual([
        one.id,
        "deny",
      ]);
    }
  });

  it("evaluates its own four alike", () => {
    const plain = CONDITION_CASES.filter(isPlain);
    expect(plain.length).toBeGreaterThan(30);
    for (const one of plain) {
      const request = { user: CASE_USER, required, context: fieldsOf(one) };
      for (const effect of EFFECTS)
        expect([one.id, decide(compiled(one, effect, "data_server"), request).effect]).toEqual([
          one.id,
          one[effect],
        ]);
    }
  });
});

describe("a condition tells", () => {
  const of = (condition: Condition): CompiledCondition => new CompiledCondition(condition, "extended");

  it("which fields it reads, also those of variables", () => {
    const { reads, readsUser, readsResource } = of({
      StringEquals: { "subject.a": ["${user}-${context.b}", "x"] },
      Null: { "context.c": ["true"] },
      StringLike: { "context.d": ["${context.literal}"] },
    });
    expect([...reads].sort()).toEqual(["context.b", "context.c", "context.d", "subject.a"]);
    expect([readsUser, readsResource]).toEqual([true, false]);
  });

  it("whether it needs attributes of the resource", () => {
    expect(of({ StringEquals: { "subject.a": ["${resource.a}"] } }).readsResource).toBe(true);
    expect(of({ Null: { "resource.a": ["true"] } }).readsResource).toBe(true);
    expect(of({ StringLike: { "subject.a": ["${resource.a}"] } }).readsResource).toBe(false);
  });
});

it("a compiled set is shared: ${user} is bound when it is evaluated", () => {
  const condition = { StringEquals: { "resource.owner": ["${user}"] } };
  const policies = compile(
    [{ name: "Own", statement: [{ effect: "allow", action: ["*"], resource: "*", condition }] }],
    { partition: "svc", evaluator: "extended" },
  );
  const effect = (user: string, owner: string): string =>
    decide(policies, { user, required, context: new Map([["resource.owner", owner]]) }).effect;
  expect([effect("alice", "alice"), effect("bob", "alice"), effect("bob", "bob")]).toEqual([
    "allow",
    "neutral",
    "allow",
  ]);
  // A name with wildcards is text in a condition.
  expect([effect("*", "alice"), effect("*", "*")]).toEqual(["neutral", "allow"]);
});

describe("a condition with a long list", () => {
  const LISTS: Readonly<Record<string, (index: number) => string>> = {
    StringEquals: (index) => `value-${index}`,
    StringEqualsIgnoreCase: (index) => `Value-${index}`,
    StringLike: (index) => `value-${index}-*`,
    StringNotLikeIfExists: (index) => `\${subject.team}-${index}-?`,
    NumericEquals: (index) => String(index),
    DateGreaterThan: () => "2026-01-01T00:00:00Z",
    IpAddress: (index) => `10.0.${index >> 8}.${index & 255}/32`,
    IpAddressIfExists: (index) => `10.0.${index >> 8}.${index & 255}/32`,
  };
  const VALUES = 20_000;

  it.each(Object.keys(LISTS))("is compiled in many short steps: %s", (operator) => {
    const values = Array.from({ length: VALUES }, (_, index) =>
      (LISTS[operator] as (at: number) => string)(index),
    );
    const condition = { [operator]: { SourceIp: values } };
    const steps = CompiledCondition.inSteps(condition, "extended");
    const units: number[] = [];
    let compiled: CompiledCondition | undefined;
    while (compiled === undefined) {
      const step = steps.next();
      if (step.done) compiled = step.value;
      else units.push(step.value);
    }
    expect(units.length).toBeGreaterThan(VALUES / 1_000);
    expect(Math.max(...units)).toBeLessThan(2 * STEP_UNITS);
    const whole = new CompiledCondition(condition, "extended");
    expect([...compiled.reads]).toEqual([...whole.reads]);
    for (const text of [values[7] as string, "10.0.0.9", "value-9-x", "5", "2027-01-01T00:00:00Z", "no"]) {
      const fields = new Map([["SourceIp", text]]);
      expect(compiled.evaluate(fields, "alice")).toBe(whole.evaluate(fields, "alice"));
    }
  });
});
