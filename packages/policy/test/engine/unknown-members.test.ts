/** A stored or replicated statement with a member that this version does not know denies (spec/evaluation §11). */

import { compile } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { decide } from "@svc-authorizer/policy/engine/decide/decide.ts";
import { hasActionOnAnyResource, isListedInSteps } from "@svc-authorizer/policy/engine/decide/list-filter.ts";
import { explain } from "@svc-authorizer/policy/engine/explain/explain.ts";
import { finish } from "@svc-authorizer/policy/engine/work.ts";
import type { Statement } from "@svc-authorizer/policy/model/policy.ts";
import { describe, expect, it } from "vitest";
import { knownStatements, portableStatements } from "../../../../src/decisions/portable-policies.ts";

const ALLOW: Statement = { effect: "allow", action: ["fs:*"], resource: "*" };
/** As a later version may write them. */
const LATER = { ...ALLOW, notAction: ["fs:DeleteObject"] } as Statement;
const LATER_ELSEWHERE = {
  effect: "deny",
  action: ["x:Y"],
  resource: "*",
  until: "2027",
} as unknown as Statement;

describe.each([
  ["an allow", [LATER]],
  ["an allow beside others", [ALLOW, LATER]],
  ["a deny of something else", [ALLOW, LATER_ELSEWHERE]],
])("%s with a member that is not known", (_name, statement) => {
  const policies = compile([{ name: "P", statement }], { partition: "svc", evaluator: "extended" });
  const leaf = { action: "fs:ReadObject", resource: "arn:svc:fs:::repository/r" };
  const request = { user: "u", required: leaf, context: new Map() };

  it("denies everything", () => {
    expect(decide(policies, request).effect).toBe("deny");
    expect(
      decide(policies, { ...request, required: { any_resource: { action: "fs:ReadObject" } } }).effect,
    ).not.toBe("allow");
    expect(hasActionOnAnyResource(policies, "fs:ReadObject")).toBe(false);
    expect(finish(isListedInSteps(policies, "u", leaf.action, leaf.resource))).toBe(false);
  });

  it("is named by the explanation", () => {
    const unknown = statement.findIndex((one) =>
      Object.keys(one).some((name) => ["notAction", "until"].includes(name)),
    );
    expect(explain(policies, request).determining).toEqual([
      expect.objectContaining({
        policy: "P",
        statement: unknown,
        unknown_member: unknown === 1 && statement[1] === LATER_ELSEWHERE ? "until" : "notAction",
      }),
    ]);
  });

  it("is served to a data server, which would ignore the member, as a deny of everything", () => {
    const deny = { effect: "deny", action: ["*"], resource: "*" };
    expect(knownStatements(statement)).toContainEqual(deny);
    expect(portableStatements(statement).statements).toContainEqual(deny);
    expect(portableStatements(statement).rewritten).toEqual(["denies"]);
    expect(JSON.stringify(portableStatements(statement).statements)).not.toMatch(/notAction|until/);
  });
});
