import { type CompiledPolicies, compile } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { decide } from "@svc-authorizer/policy/engine/decide/decide.ts";
import type { FieldValue } from "@svc-authorizer/policy/model/decision.ts";
import type { NamedStatements } from "@svc-authorizer/policy/model/policy.ts";
import fc from "fast-check";
import { expect, it } from "vitest";
import { context, policiesOf, required, user } from "../../packages/policy/test/engine/arbitraries.ts";
import { TypePattern } from "../../src/decisions/plan/plan-patterns.ts";
import { planInSteps } from "../../src/decisions/plan/planning.ts";
import type { Plan } from "../../src/decisions/searches.ts";
import { sized } from "../proofs/size.ts";
import { allows } from "./plan-reading.ts";

const options = { partition: "svc", evaluator: "extended" } as const;

function run(policies: CompiledPolicies, question: Parameters<typeof planInSteps>[1]): Plan {
  const steps = planInSteps(policies, question);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

const value = fc.constantFrom<FieldValue>("a", "b", "alice", "3", "10.1.2.3", "not an address", "true", "");
const name = fc.constantFrom("resource.team", "subject.team", "SourceIp", "resource.ip", "context.level");
const fieldsOf = fc.array(fc.tuple(name, value), { maxLength: 4 }).map((entries) => new Map(entries));
const test = fc.oneof(
  fc.record({
    op: fc.constantFrom("StringEquals", "StringNotEquals", "StringLike", "ForAnyValue:StringLike"),
    values: fc.subarray(["a", "b*", "${user}", "${subject.team}", "${resource.team, 'a'}"], { minLength: 1 }),
  }),
  fc.record({
    op: fc.constantFrom("IpAddress", "NotIpAddress", "IpAddressIfExists"),
    values: fc.subarray(["10.0.0.0/8", "::/0", "oops"], { minLength: 1 }),
  }),
  fc.record({
    op: fc.constantFrom("NumericLessThan", "NumericGreaterThanIfExists"),
    values: fc.constant<string[]>(["5"]),
  }),
  fc.record({
    op: fc.constant("Null"),
    values: fc.subarray(["true", "false"], { minLength: 1, maxLength: 1 }),
  }),
);
const condition = fc.array(fc.tuple(test, name), { minLength: 1, maxLength: 3 }).map((tests) => {
  const made: Record<string, Record<string, readonly string[]>> = {};
  for (const [{ op, values }, field] of tests) made[op] = { ...made[op], [field]: values };
  return made;
});
const statement = fc.record({
  effect: fc.constantFrom("allow", "allow", "deny"),
  action: fc.constantFrom(["fs:ReadObject"], ["fs:*"], ["auth:ReadUser"]),
  resource: fc.constantFrom(
    "*",
    "arn:svc:fs:::x/*",
    "arn:svc:fs:::x/a",
    "arn:svc:fs:::x/${user}/*",
    "arn:svc:fs:us::?/a*",
    "[oops]",
  ),
  condition,
});
const conditional: fc.Arbitrary<NamedStatements[]> = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: statement },
      { weight: 1, arbitrary: statement.map(({ condition: _, ...rest }) => ({ ...rest, resource: "*" })) },
    ),
    { maxLength: 5 },
  )
  .map((statements) => [{ name: "p", statement: statements }]);
const resource = fc.constantFrom(
  "arn:svc:fs:::x/a",
  "arn:svc:fs:::x/alice/b",
  "arn:svc:fs:eu::y/ab",
  "arn:svc:fs:::z",
  "*",
);

it("agrees with a check about any resource, whatever the policies", () => {
  fc.assert(
    fc.property(
      policiesOf(4),
      user,
      required,
      context,
      fc.boolean(),
      (policies, who, tree, fields, given) => {
        fc.pre("action" in tree);
        const compiled = compile(policies, options);
        const { action, resource: asked } = tree as { action: string; resource: string };
        const plan = run(compiled, { user: who, action, context: given ? fields : new Map() });
        const { effect } = decide(compiled, { user: who, required: tree, context: fields });
        expect(allows(plan, asked, fields, who)).toBe(effect === "allow");
      },
    ),
    { numRuns: sized(300, 3_000) },
  );
});

it("agrees with a check whichever part of the fields is known beforehand", () => {
  fc.assert(
    fc.property(conditional, fieldsOf, fc.array(name), resource, (policies, fields, hidden, asked) => {
      const compiled = compile(policies, options);
      const context = new Map([...fields].filter(([field]) => !hidden.includes(field as never)));
      const plan = run(compiled, { user: "alice", action: "fs:ReadObject", context });
      const request = {
        user: "alice",
        required: { action: "fs:ReadObject", resource: asked },
        context: fields,
      };
      expect(allows(plan, asked, fields, "alice")).toBe(decide(compiled, request).effect === "allow");
      if (plan.kind === "always") expect(plan).toMatchObject({ deny: [], conditional: [] });
      if (plan.kind === "never") expect([plan.allow, plan.deny, plan.conditional]).toEqual([[], [], []]);
    }),
    { numRuns: sized(500, 5_000) },
  );
});

it("within a type agrees with a check about each of its resources", () => {
  const within = new TypePattern("arn:svc:fs:::repository/*/branch/*", "svc");
  const id = fc.constantFrom("a", "main", "alice", "日", "repository", "b/r");
  fc.assert(
    fc.property(
      policiesOf(4),
      user,
      fc.constantFrom("fs:ReadObject", "auth:ReadUser"),
      id,
      id,
      (policies, who, action, left, right) => {
        const compiled = compile(policies, options);
        const asked = `arn:svc:fs:::repository/${left}/branch/${right}`;
        const plan = run(compiled, { user: who, action, context: new Map(), within });
        const { effect } = decide(compiled, {
          user: who,
          required: { action, resource: asked },
          context: new Map(),
        });
        expect(allows(plan, asked, new Map(), who)).toBe(effect === "allow");
      },
    ),
    { numRuns: sized(200, 2_000) },
  );
});
