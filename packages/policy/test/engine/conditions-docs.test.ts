import { readFileSync } from "node:fs";
import { CompiledCondition } from "@svc-authorizer/policy/engine/conditions/conditions.ts";
import { conditionProblems, FIELD_LIMITS } from "@svc-authorizer/policy/model/condition.ts";
import { addProperties } from "@svc-authorizer/policy/model/condition-fields.ts";
import { OPERATOR_NAMES } from "@svc-authorizer/policy/model/condition-operators.ts";
import type { FieldValue } from "@svc-authorizer/policy/model/decision.ts";
import type { Properties } from "@svc-authorizer/policy/model/entities.ts";
import type { Condition } from "@svc-authorizer/policy/model/policy.ts";
import { describe, expect, it } from "vitest";

interface Example {
  readonly condition: Condition;
  readonly subject?: Properties;
  readonly resource?: Properties;
  readonly context?: Properties;
  readonly holds: boolean | "cannot be evaluated";
}

const PAGE = readFileSync(new URL("../../../../docs/conditions.md", import.meta.url), "utf8");
const EXAMPLES = [...PAGE.matchAll(/```json\n(.*?)```/gs)].map(
  ([, text = ""]) => JSON.parse(text) as Example,
);
const RESULTS = { satisfied: true, unsatisfied: false, unreadable: "cannot be evaluated", error: "error" };

describe("docs/conditions.md", () => {
  it.each(EXAMPLES)("is right about $condition", ({ condition, subject, resource, context, holds }) => {
    expect(conditionProblems(condition, "")).toEqual([]);
    const fields = new Map<string, FieldValue>();
    for (const [entity, properties] of Object.entries({ subject, resource, context }))
      addProperties(fields, `${entity}.`, properties);
    expect(RESULTS[new CompiledCondition(condition, "extended").evaluate(fields, "alice")]).toBe(holds);
  });

  it("has examples, every operator and the limits", () => {
    expect(EXAMPLES.length).toBeGreaterThan(5);
    const table = PAGE.slice(PAGE.indexOf("## Operators"), PAGE.indexOf("- **Several values**"));
    expect([...table.matchAll(/`([A-Z]\w+)`/g)].map(([, name]) => name).sort()).toEqual(
      [...OPERATOR_NAMES].sort(),
    );
    for (const limit of [FIELD_LIMITS.name, FIELD_LIMITS.values, FIELD_LIMITS.text])
      expect(PAGE).toContain(limit.toLocaleString("en-US"));
  });
});
