import { accessDifference } from "@svc-authorizer/policy/analysis/difference/access-difference.ts";
import type { DifferenceLine } from "@svc-authorizer/policy/analysis/difference/line.ts";
import type { NamedStatements } from "@svc-authorizer/policy/model/policy.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sized } from "../../../../../test/proofs/size.ts";
import { oracle } from "../../engine/oracle.ts";
import { ACTIONS, CONTEXTS, pairOfPolicies, RESOURCES, USERS } from "../small-world.ts";
import { type Asked, isInLines } from "./in-lines.ts";

/** Pairs of policy sets; the proof takes 100,000. */
const PAIRS = Number(process.env["DIFFERENCE_PAIRS"] ?? sized(400, 100_000));
const REQUESTS = 40;
const seed = Number(process.env["DIFFERENCE_SEED"] ?? Date.now() & 0x7fffffff);
console.log(`difference seed ${seed} (DIFFERENCE_SEED repeats a run)`);

function isAllowed(
  policies: readonly NamedStatements[],
  { user, action, resource, context }: Asked,
): boolean {
  const request = { user, required: { action, resource }, context: new Map(Object.entries(context)) };
  return oracle(policies, request as never).effect === "allow";
}

const isUndecided = (lines: readonly DifferenceLine[]) =>
  lines.some(({ certainty }) => certainty === "undecided");

const request = fc.record({
  user: fc.constantFrom(...USERS),
  action: fc.constantFrom(...ACTIONS),
  resource: fc.constantFrom(...RESOURCES),
  context: fc.constantFrom(...CONTEXTS),
});

describe("the lines of a difference", () => {
  it("together are the difference: for one user, and for any", { timeout: 3_600_000 }, () => {
    const seen = { gained: 0, lost: 0, equal: 0, undecided: 0, failing: 0 };
    fc.assert(
      fc.property(
        pairOfPolicies,
        fc.array(request, { minLength: REQUESTS, maxLength: REQUESTS }),
        fc.boolean(),
        ([before, after], requests, forAnyUser) => {
          const options = { partition: "svc", vocabulary: {} };
          const one = requests[0]?.user ?? "a";
          const found = accessDifference(before, after, forAnyUser ? options : { ...options, user: one });
          expect(found.leftOut).toEqual([]);
          if (isUndecided(found.gains) || isUndecided(found.losses)) {
            seen.undecided++;
            return;
          }
          for (const asked of requests.map((each) => (forAnyUser ? each : { ...each, user: one }))) {
            const [was, is] = [isAllowed(before, asked), isAllowed(after, asked)];
            const text = () => JSON.stringify(asked);
            if (asked.context["ip"] === "bad") {
              // Where conditions cannot be read, everything is denied: a line of its own says so.
              const fails = (lines: readonly DifferenceLine[]) =>
                lines.some(({ kind }) => kind === "failure");
              const isSaid =
                was === is ||
                fails(is ? found.gains : found.losses) ||
                isInLines(is ? found.gains : found.losses, asked);
              expect(isSaid, text()).toBe(true);
              seen.failing++;
              continue;
            }
            expect(isInLines(found.gains, asked), `gained: ${text()}`).toBe(is && !was);
            expect(isInLines(found.losses, asked), `lost: ${text()}`).toBe(was && !is);
            seen[is === was ? "equal" : is ? "gained" : "lost"]++;
          }
        },
      ),
      { seed, numRuns: PAIRS, endOnFailure: process.env["DIFFERENCE_SHRINK"] === undefined },
    );
    console.log(`compared: ${JSON.stringify(seen)}`);
    expect(Math.min(seen.gained, seen.lost)).toBeGreaterThan(PAIRS);
    expect(seen.undecided).toBeLessThan(PAIRS * 0.3);
  });

  it("have examples that the engine decides so", { timeout: 3_600_000 }, () => {
    fc.assert(
      fc.property(pairOfPolicies, ([before, after]) => {
        const { gains, losses } = accessDifference(before, after, { partition: "svc", vocabulary: {} });
        for (const [lines, from, to] of [
          [gains, before, after],
          [losses, after, before],
        ] as const) {
          for (const { certainty, example, kind } of lines) {
            if (certainty !== "certain" || kind !== "area" || example === undefined) continue;
            const asked = { ...example, context: example.context as Asked["context"] };
            expect([isAllowed(from, asked), isAllowed(to, asked)], JSON.stringify(asked)).toEqual([
              false,
              true,
            ]);
          }
        }
      }),
      { seed, numRuns: PAIRS / 4 },
    );
  });
});
