import { compile } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { decide } from "@svc-authorizer/policy/engine/decide/decide.ts";
import { DecidingPlace } from "@svc-authorizer/policy/engine/decide/deciding-place.ts";
import { outcomeTest } from "@svc-authorizer/policy/engine/decide/outcome-test.ts";
import type { CompiledStatement } from "@svc-authorizer/policy/engine/statement.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sized } from "../../../../test/proofs/size.ts";
import { alikePolicies, alikeResource, context, user } from "./arbitraries.ts";

describe("the test of many resources", () => {
  it.each(["extended", "data_server"] as const)("says what a decision says: %s", (evaluator) => {
    let allowed = 0;
    fc.assert(
      fc.property(
        alikePolicies,
        user,
        context,
        fc.array(alikeResource, { minLength: 10, maxLength: 10 }),
        (policies, name, fields, resources) => {
          const compiled = compile(policies, { partition: "svc", evaluator });
          const action = "fs:ReadObject";
          const place = new DecidingPlace();
          const test = outcomeTest(compiled, { user: name, action, context: fields });
          for (const resource of resources) {
            const decidedBy: CompiledStatement[] = [];
            const outcome = decide(compiled, {
              user: name,
              required: { action, resource },
              context: fields,
              decidedBy,
            });
            expect(test(resource)).toEqual(outcome);
            test.tellPlace(place);
            expect(place.statementIn(compiled)).toBe(decidedBy[0]);
            if (outcome.effect === "allow") allowed++;
          }
        },
      ),
      { numRuns: sized(300, 3_000) },
    );
    expect(allowed).toBeGreaterThan(sized(50, 600));
  });
});
