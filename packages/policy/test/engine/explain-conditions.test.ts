import { compile } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { MOST_TESTS, type ValueMask } from "@svc-authorizer/policy/engine/conditions/condition-tests.ts";
import { CompiledCondition } from "@svc-authorizer/policy/engine/conditions/conditions.ts";
import { explainInSteps } from "@svc-authorizer/policy/engine/explain/explain.ts";
import { finish } from "@svc-authorizer/policy/engine/work.ts";
import type { ConditionTest, FieldValue } from "@svc-authorizer/policy/model/decision.ts";
import type { Condition, NamedStatements, Statement } from "@svc-authorizer/policy/model/policy.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sized } from "../../../../test/proofs/size.ts";
import { readFixture } from "../../../../test/read-fixture.ts";
import { conditionFields, conditionOf } from "./condition-arbitraries.ts";
import { CASE_USER, type ConditionCase, fieldsOf } from "./condition-cases.ts";
import { conditionOracle } from "./condition-oracle.ts";

interface ExplainedCase extends Pick<ConditionCase, "id" | "condition" | "fields"> {
  readonly conditions: readonly ConditionTest[];
  readonly detail?: string;
}

const { cases } = readFixture<{ cases: readonly ExplainedCase[] }>("conditions/explained.json");

const LEAF = { action: "fs:ReadObject", resource: "arn:svc:fs:::repository/r/object/a" };
const NOT_SATISFIED = "the condition is not satisfied: ";

function statementOf(effect: "allow" | "deny", condition: Condition): Statement {
  return { effect, action: ["fs:*"], resource: "*", condition };
}

function explained(
  statement: readonly Statement[],
  context: ReadonlyMap<string, FieldValue>,
  mask?: ValueMask,
) {
  const policies: readonly NamedStatements[] = [{ name: "P", statement }];
  const compiled = compile(policies, { partition: "svc", evaluator: "extended" });
  return finish(explainInSteps(compiled, { user: CASE_USER, required: LEAF, context }, mask));
}

describe("what an explanation says of a condition", () => {
  it.each(cases)("$id", ({ condition, conditions, detail, ...given }) => {
    const { determining, nearMisses } = explained(
      [statementOf("allow", condition)],
      fieldsOf({ ...given, condition } as ConditionCase),
    );
    if (detail === undefined) expect(determining).toMatchObject([{ policy: "P", statement: 0, conditions }]);
    else {
      expect(nearMisses).toEqual([
        { policy: "P", statement: 0, why: "condition", detail: NOT_SATISFIED + detail, conditions },
      ]);
    }
  });

  it("names the address that denied everything, and the unknown operator", () => {
    const broken = statementOf("allow", { IpAddress: { SourceIp: ["10.0.0.0/8"] } });
    expect(explained([broken], new Map([["SourceIp", "no address"]])).determining).toMatchObject([
      { action: "", conditions: [{ given: "no address", result: "error" }] },
    ]);
    const unknown = statementOf("deny", { Unknown: {}, Odd: { x: ["a"] } });
    expect(explained([unknown], new Map([["x", "b"]])).determining).toMatchObject([
      {
        conditions: [
          { operator: "Unknown", field: "", wanted: [], result: "error" },
          { operator: "Odd", field: "x", wanted: ["a"], given: "b", result: "error" },
        ],
      },
    ]);
  });

  it("says it of each part as that part alone would be decided", () => {
    fc.assert(
      fc.property(conditionOf(3), conditionFields, (condition, fields) => {
        const compiled = new CompiledCondition(condition, "extended");
        const results = finish(compiled.resultsInSteps(fields, CASE_USER, Number.POSITIVE_INFINITY));
        const parts = Object.entries(condition).flatMap(([operator, tests]) =>
          Object.entries(tests).map(([field, values]) => ({ operator, field, values })),
        );
        expect(results.filter(({ field, values }) => field !== "" || values.length > 0)).toEqual(
          parts.map((part) => ({
            ...part,
            result: conditionOracle({ [part.operator]: { [part.field]: part.values } }, fields, CASE_USER),
          })),
        );
      }),
      { numRuns: sized(200, 2_000) },
    );
  });

  it("shows what the mask makes of given values, in the words too", () => {
    const statement = statementOf("allow", {
      StringEquals: { "subject.team": ["${subject.boss}"], "context.open": ["no"] },
    });
    const context = new Map([
      ["subject.team", "sales"],
      ["subject.boss", "carol"],
      ["context.open", "yes"],
    ]);
    const mask: ValueMask = (field, value) => (field.startsWith("subject.") ? "masked" : value);
    const { nearMisses } = explained([statement], context, mask);
    expect(JSON.stringify(nearMisses)).not.toMatch(/sales|carol/);
    expect(nearMisses[0]?.conditions).toMatchObject([
      { given: "masked", variables: [{ variable: "subject.boss", given: "masked" }] },
      { given: "yes" },
    ]);
  });

  it("keeps explanations short, whatever policies and requests hold", () => {
    const many = Array.from({ length: 100 }, (_, index) => `${index}${"é".repeat(2_000)}`);
    const fields = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`context.f${index}`, many]));
    const policy = [statementOf("allow", { "ForAnyValue:StringEquals": fields })];
    const given = new Map(Object.keys(fields).map((name) => [name, many]));
    for (const context of [given, new Map<string, FieldValue>()]) {
      const { determining, nearMisses } = explained(policy, context);
      const shown = [...determining, ...nearMisses].flatMap(({ conditions = [] }) => conditions);
      expect(shown).toHaveLength(MOST_TESTS);
      expect(shown[0]).toMatchObject({ wanted_total: 100 });
      expect(shown[0]?.wanted).toHaveLength(20);
      expect(Math.max(...shown.flatMap(({ wanted }) => wanted.map(({ length }) => length)))).toBe(257);
    }
  });
});
