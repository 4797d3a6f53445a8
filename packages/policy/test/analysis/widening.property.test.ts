import { widening } from "@svc-authorizer/policy/analysis/compare/widening.ts";
import type { StatementName } from "@svc-authorizer/policy/model/decision.ts";
import type { NamedStatements } from "@svc-authorizer/policy/model/policy.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sized } from "../../../../test/proofs/size.ts";
import { oracle } from "../engine/oracle.ts";
import { pairOfPolicies, widerInSmallWorld } from "./small-world.ts";

/** Pairs compared per run; 100,000 take about a minute: `WIDENING_PAIRS=100000 npm test -- test/analysis/widening.property`. */
const PAIRS = Number(process.env["WIDENING_PAIRS"] ?? sized(1_500, 8_000));
const seed = Number(process.env["WIDENING_SEED"] ?? Date.now() & 0x7fffffff);
console.log(`widening seed ${seed} (WIDENING_SEED repeats a run)`);

/** A policy with nothing but one statement. */
function alone(
  policies: readonly NamedStatements[],
  { policy, statement }: StatementName,
): NamedStatements[] {
  return policies
    .filter(({ name }) => name === policy)
    .map(({ name, statement: all }) => ({ name, statement: all.slice(statement, statement + 1) }));
}

describe("widening agrees with trying every request of a small world", () => {
  it("misses none, and every counterexample is one", { timeout: 600_000 }, () => {
    const seen = { wider: 0, equal: 0, elsewhere: 0, possible: 0, undecided: 0 };
    fc.assert(
      fc.property(pairOfPolicies, ([before, after]) => {
        const expected = widerInSmallWorld(before, after);
        const found = widening(before, after, { partition: "svc", limit: 5 });
        if (expected !== undefined) {
          expect(found.length, `missed: ${expected}`).toBeGreaterThan(0);
          seen.wider++;
        } else if (found.length === 0) seen.equal++;
        else seen.elsewhere++;
        for (const { certainty, counterexample, conditions, cause, allowedBy, deniedBy } of found) {
          if (certainty === "undecided") {
            expect(JSON.stringify([before, after])).toContain("${user}");
            seen.undecided++;
            continue;
          }
          if (counterexample === undefined) {
            // Without a condition in the way, a point is a request that can be shown.
            expect(JSON.stringify([before, after])).toContain("condition");
            expect(conditions).toBeDefined();
            seen.possible++;
            continue;
          }
          const request = { ...counterexample, context: new Map(Object.entries(counterexample.context)) };
          expect(oracle(after, request as never).effect).toBe("allow");
          expect(oracle(before, request as never).effect).toBe(counterexample.before);
          if (cause === "list") continue;
          // The statements that are blamed do it, each alone.
          expect(oracle(alone(after, allowedBy), request as never).effect).toBe("allow");
          expect(deniedBy === undefined).toBe(counterexample.before === "neutral");
          if (deniedBy === undefined) expect(cause).toBe("allow");
          else expect(oracle(alone(before, deniedBy), request as never).effect).toBe("deny");
        }
      }),
      { seed, numRuns: PAIRS },
    );
    console.log(`compared with every request: ${JSON.stringify(seen)}`);
    expect(seen.wider).toBeGreaterThan(PAIRS * 0.15);
    expect(seen.equal).toBeGreaterThan(PAIRS * 0.15);
  });
});
