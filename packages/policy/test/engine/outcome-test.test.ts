import { compile } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { decide } from "@svc-authorizer/policy/engine/decide/decide.ts";
import { DecidingStatements } from "@svc-authorizer/policy/engine/decide/deciding-place.ts";
import { Lookup } from "@svc-authorizer/policy/engine/decide/lookup.ts";
import { outcomeTest } from "@svc-authorizer/policy/engine/decide/outcome-test.ts";
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
          const test = outcomeTest(compiled, { user: name, action, context: fields }, new Lookup());
          for (const resource of resources) {
            const decidedBy = new DecidingStatements();
            const outcome = decide(compiled, {
              user: name,
              required: { action, resource },
              context: fields,
              decidedBy,
            });
            expect(test(resource)).toEqual(outcome);
            expect(test.place().statementIn(compiled)).toBe(decidedBy.all[0]);
            if (outcome.effect === "allow") allowed++;
          }
        },
      ),
      { numRuns: sized(300, 3_000) },
    );
    expect(allowed).toBeGreaterThan(sized(50, 600));
  });
});
