import { compile } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { decide } from "@svc-authorizer/policy/engine/decide/decide.ts";
import { DecidingStatements } from "@svc-authorizer/policy/engine/decide/deciding-place.ts";
import { compileWildcard } from "@svc-authorizer/policy/engine/patterns/wildcard.ts";
import type { RequiredPermissions } from "@svc-authorizer/policy/model/decision.ts";
import type { Statement } from "@svc-authorizer/policy/model/policy.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sized } from "../../../../test/proofs/size.ts";
import {
  alikePolicies,
  alikeResource,
  context,
  policiesOf,
  required,
  user,
  wildcardCase,
} from "./arbitraries.ts";
import { oracle, wildcardMatch } from "./oracle.ts";

/** Decisions compared per run; each policy set answers several requests, so that its indexes are reused. */
const CASES = Number(process.env["ORACLE_CASES"] ?? sized(20_000, 100_000));
const REQUESTS = 10;
/** Millions of cases take half an hour beside other work. */
const TIMEOUT_MS = sized(240_000, 3_600_000);
const options = { partition: "svc", evaluator: "data_server" } as const;
const seed = Number(process.env["ORACLE_SEED"] ?? Date.now() & 0x7fffffff);
console.log(`oracle seed ${seed} (ORACLE_SEED repeats a run)`);

const request: fc.Arbitrary<{ user: string; required: RequiredPermissions; context: Map<string, string> }> =
  fc.record({
    user,
    required,
    context,
  });

const alikeRequest = fc.record({
  user,
  required: alikeResource.map((one) => ({ action: "fs:ReadObject", resource: one })),
  context,
});

function compare(policiesArbitrary: typeof alikePolicies, asked: typeof request, runs: number): void {
  const effects = { allow: 0, neutral: 0, deny: 0 };
  fc.assert(
    fc.property(
      policiesArbitrary,
      fc.array(asked, { minLength: REQUESTS, maxLength: REQUESTS }),
      (policies, requests) => {
        const compiled = compile(policies, options);
        for (const one of requests) {
          const statements: Statement[] = [];
          const expected = oracle(policies, one, statements);
          effects[expected.effect]++;
          expect(decide(compiled, one)).toEqual(expected);
          const decidedBy = new DecidingStatements();
          expect(decide(compiled, { ...one, decidedBy })).toEqual(expected);
          expect(decidedBy.all.map(({ policy, index }) => policy.statement[index])).toEqual(statements);
        }
      },
    ),
    { seed, numRuns: runs },
  );
  console.log(`compared with the oracle: ${JSON.stringify(effects)}`);
  // A comparison in which hardly anything is allowed or denied would say little.
  for (const count of Object.values(effects)) expect(count).toBeGreaterThan(runs * REQUESTS * 0.02);
}

describe("the engine agrees with a naive evaluator", () => {
  it("on few statements", { timeout: TIMEOUT_MS }, () => {
    compare(policiesOf(4), request, (CASES * 0.6) / REQUESTS);
  });

  it("on many statements, where many resources are indexed", { timeout: TIMEOUT_MS }, () => {
    compare(policiesOf(40), request, (CASES * 0.2) / REQUESTS);
  });

  it("on many patterns that begin alike", { timeout: TIMEOUT_MS }, () => {
    compare(alikePolicies, alikeRequest, (CASES * 0.3) / REQUESTS);
  });

  it("on a single wildcard pattern", { timeout: TIMEOUT_MS }, () => {
    fc.assert(
      fc.property(wildcardCase, ([pattern, text]) => {
        expect(compileWildcard(pattern).match(text)).toBe(wildcardMatch(pattern, text));
      }),
      { seed, numRuns: CASES / 2 },
    );
  });

  it("whatever else the policies hold: one more allow never turns an allow into a refusal", () => {
    const more = { name: "more", statement: [{ effect: "allow", action: ["*"], resource: "*" }] };
    fc.assert(
      fc.property(policiesOf(3), request, (policies, one) => {
        const before = decide(compile(policies, options), one).effect;
        const after = decide(compile([...policies, more], options), one).effect;
        expect(before === "allow" ? after : before === "deny" ? after : "any").toBe(
          before === "neutral" ? "any" : before,
        );
      }),
      { seed, numRuns: sized(100, 1_000) },
    );
  });
});
