/** The cases of fixtures/conditions/operators.json, as each entrance needs them. */
import { addProperties } from "@svc-authorizer/policy/model/condition-fields.ts";
import type { Effect, FieldValue } from "@svc-authorizer/policy/model/decision.ts";
import type { Properties } from "@svc-authorizer/policy/model/entities.ts";
import type { Condition, Statement } from "@svc-authorizer/policy/model/policy.ts";
import { readFixture } from "../../../../test/read-fixture.ts";

/** A condition of the fixture with its expected results. */
export interface ConditionCase {
  readonly id: string;
  readonly condition: Condition;
  /** Attributes by entity. */
  readonly fields: { readonly [entity in "subject" | "resource" | "context"]?: Properties };
  /** The decision where the condition stands in an allow. */
  readonly allow: Effect;
  /** The decision where it stands in a deny, beside an allow of everything. */
  readonly deny: Effect;
  /** False: a policy with it is refused when written. */
  readonly stored?: boolean;
}

/** The user of every case. */
export const CASE_USER = "alice";

export const { cases: CONDITION_CASES } = readFixture<{ cases: readonly ConditionCase[] }>(
  "conditions/operators.json",
);

/** The effects of a statement, and what each case expects of it. */
export const EFFECTS = ["allow", "deny"] as const;

/** The condition fields of a case. */
export function fieldsOf({ fields }: ConditionCase): Map<string, FieldValue> {
  const context = new Map<string, FieldValue>();
  for (const [entity, properties] of Object.entries(fields)) addProperties(context, `${entity}.`, properties);
  return context;
}

/** The statements of a case: the condition in an allow, or in a deny beside an allow without condition. */
export function statementsOf(
  { condition }: ConditionCase,
  effect: "allow" | "deny",
  action: string,
): Statement[] {
  const conditional = { effect, action: [action], resource: "*", condition };
  return effect === "allow"
    ? [conditional]
    : [{ effect: "allow", action: [action], resource: "*" }, conditional];
}
