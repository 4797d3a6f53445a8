import { CompiledCondition } from "@svc-authorizer/policy/engine/conditions/conditions.ts";
import { compilePieces } from "@svc-authorizer/policy/engine/patterns/wildcard.ts";
import { finish } from "@svc-authorizer/policy/engine/work.ts";
import type { Condition } from "@svc-authorizer/policy/model/policy.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sized } from "../../../../test/proofs/size.ts";
import { conditionFields, conditionOf, OF_ONE_KIND } from "./condition-arbitraries.ts";
import { conditionOracle } from "./condition-oracle.ts";
import { wildcardMatch } from "./oracle.ts";

/** The condition with more values under the operators of texts. */
function lengthened(condition: Condition, more: (values: readonly string[]) => readonly string[]): Condition {
  return Object.fromEntries(
    Object.entries(condition).map(([name, fields]) => [
      name,
      name.includes("String")
        ? Object.fromEntries(Object.entries(fields).map(([field, values]) => [field, more(values)]))
        : fields,
    ]),
  ) as Condition;
}

const user = fc.constantFrom("alice", "a", "*", "?", "é");

describe("a compiled condition", () => {
  it("says what IAM's documentation says", () => {
    const seen = { satisfied: 0, unsatisfied: 0, unreadable: 0, error: 0 };
    fc.assert(
      fc.property(
        conditionOf(2),
        fc.array(conditionFields, { minLength: 4, maxLength: 4 }),
        user,
        (condition, requests, name) => {
          const compiled = new CompiledCondition(condition, "extended");
          for (const fields of requests) {
            const expected = conditionOracle(condition, fields, name);
            seen[expected]++;
            expect(compiled.evaluate(fields, name)).toBe(expected);
          }
        },
      ),
      { numRuns: sized(2_000, 8_000) },
    );
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(sized(100, 500));
  });

  it.each(OF_ONE_KIND)("says what IAM's documentation says of %s", (_, both) => {
    const seen = { satisfied: 0, unsatisfied: 0, unreadable: 0, error: 0 };
    fc.assert(
      fc.property(both, user, ([condition, fields], name) => {
        const expected = conditionOracle(condition, fields, name);
        seen[expected]++;
        const compiled = new CompiledCondition(condition, "extended");
        expect(compiled.evaluate(fields, name)).toBe(expected);
        expect(finish(compiled.evaluateInSteps(fields, name))).toBe(expected);
      }),
      { numRuns: sized(1_500, 5_000) },
    );
    expect(Math.min(seen.satisfied, seen.unsatisfied, seen.unreadable)).toBeGreaterThan(sized(60, 250));
  });

  it("says the same in steps, with many values", () => {
    const seen = { satisfied: 0, unsatisfied: 0, unreadable: 0, error: 0 };
    const never = Array.from({ length: 1000 }, (_, index) => `no?${index}*\u0003`);
    fc.assert(
      fc.property(conditionOf(2), conditionFields, fc.nat(1000), user, (condition, fields, at, name) => {
        const long = lengthened(condition, (values) => [
          ...never.slice(at),
          ...values,
          ...never.slice(0, at),
        ]);
        const compiled = new CompiledCondition(long, "extended");
        const expected = conditionOracle(long, fields, name);
        if (compiled.canBeLong) seen[expected]++;
        expect(finish(compiled.evaluateInSteps(fields, name))).toBe(expected);
        expect(compiled.evaluate(fields, name)).toBe(expected);
      }),
      { numRuns: 400 },
    );
    expect(Math.min(seen.satisfied, seen.unsatisfied, seen.unreadable)).toBeGreaterThan(5);
  });

  it("reads no field beside those that it names", () => {
    fc.assert(
      fc.property(conditionOf(3), conditionFields, user, (condition, fields, name) => {
        const compiled = new CompiledCondition(condition, "extended");
        const named = new Map([...fields].filter(([field]) => compiled.reads.has(field)));
        const renamed = compiled.readsUser ? name : "somebody else";
        expect(compiled.evaluate(named, renamed)).toBe(compiled.evaluate(fields, name));
      }),
      { numRuns: sized(500, 3_000) },
    );
  });
});

it("a literal piece of a pattern matches itself alone", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "*", "?", "日"), maxLength: 5 });
  const piece = fc.record({ text, literal: fc.boolean() });
  // The oracle knows no literal wildcards: other characters of one byte stand in for them, on both sides.
  const standIn = (one: string): string => one.replaceAll("*", "\u0001").replaceAll("?", "\u0002");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 4 }), text, fc.boolean(), (pieces, drawn, own) => {
      const candidate = own ? pieces.map((one) => one.text).join("") : drawn;
      const pattern = pieces.map((one) => (one.literal ? standIn(one.text) : one.text)).join("");
      expect(compilePieces(pieces).match(candidate)).toBe(wildcardMatch(pattern, standIn(candidate)));
    }),
    { numRuns: sized(4_000, 20_000) },
  );
});
