import { compile } from "@svc-authorizer/policy/engine/compile/compile.ts";
import {
  decide,
  decideAtOnce,
  decideInSteps,
  decideOne,
} from "@svc-authorizer/policy/engine/decide/decide.ts";
import { decideSetsInSteps } from "@svc-authorizer/policy/engine/decide/decide-sets.ts";
import { DecidingStatements } from "@svc-authorizer/policy/engine/decide/deciding-place.ts";
import { Lookup } from "@svc-authorizer/policy/engine/decide/lookup.ts";
import { outcomeTest } from "@svc-authorizer/policy/engine/decide/outcome-test.ts";
import { finish } from "@svc-authorizer/policy/engine/work.ts";
import type { RequiredPermissions } from "@svc-authorizer/policy/model/decision.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

const PARTITION = { partition: "svc", evaluator: "extended" } as const;
const ACTION = "fs:ReadObject";
const TEXT = "ab".repeat(1000);
const RESOURCES = ["x", "y", "z"].map((name) => `arn:svc:fs:::repository/${name}`);

/** Lists whose values take long for some fields and hardly any work for others; the last value may hold. */
const values = fc
  .tuple(
    fc.constantFrom("never", "${context.v}", "*b?", "${context.missing}"),
    fc.integer({ min: 1, max: 80 }),
  )
  .map(([last, count]) => [...Array.from({ length: count }, (_, index) => `*\${context.v}?${index}`), last]);

const statement = fc.record({
  effect: fc.constantFrom("allow", "allow", "deny"),
  action: fc.constant([ACTION]),
  resource: fc.constantFrom("*", ...RESOURCES),
  condition: fc.option(
    fc.dictionary(
      fc.constantFrom("StringLike", "StringNotLikeIfExists", "IpAddress", "StringLikeIfExists"),
      fc.dictionary(fc.constantFrom("context.t", "context.u"), values, { minKeys: 1, maxKeys: 1 }),
      { minKeys: 1, maxKeys: 2 },
    ),
    { nil: undefined },
  ),
});

const policies = fc
  .array(statement, { minLength: 1, maxLength: 6 })
  .map((all) => [
    { name: "P", statement: all.map(({ condition, ...one }) => (condition ? { ...one, condition } : one)) },
  ]);

const fields = fc
  .record({
    "context.t": fc.option(fc.constantFrom(TEXT, `${TEXT}b`, "ab"), { nil: undefined }),
    "context.u": fc.option(fc.constantFrom(TEXT, "ab", "never"), { nil: undefined }),
    "context.v": fc.option(fc.constantFrom(TEXT, "ab"), { nil: undefined }),
  })
  .map(
    (all) =>
      new Map(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)),
  );

const leaf = fc.constantFrom(...RESOURCES).map((resource) => ({ action: ACTION, resource }));
const required: fc.Arbitrary<RequiredPermissions> = fc.oneof(
  leaf,
  fc.array(leaf, { minLength: 1, maxLength: 3 }).map((and) => ({ and })),
  fc.array(leaf, { minLength: 1, maxLength: 3 }).map((or) => ({ or })),
);

describe("conditions that are long for some requests", () => {
  it("are left out of what is decided at once, and give the same decision in steps", () => {
    const seen = { atOnce: 0, inSteps: 0 };
    fc.assert(
      fc.property(policies, fields, required, (all, context, tree) => {
        const compiled = compile(all, PARTITION);
        const asked = (): {
          user: string;
          required: typeof tree;
          context: typeof context;
          decidedBy: DecidingStatements;
        } => ({
          user: "alice",
          required: tree,
          context,
          decidedBy: new DecidingStatements(),
        });
        const whole = asked();
        const expected = decide(compiled, whole);
        const quick = asked();
        const atOnce = decideAtOnce(compiled, quick, new Lookup());
        seen[atOnce === undefined ? "inSteps" : "atOnce"]++;
        if (atOnce !== undefined) expect(atOnce).toEqual(expected);
        expect(quick.decidedBy.all).toEqual(atOnce === undefined ? [] : whole.decidedBy.all);
        const stepped = asked();
        expect(finish(decideInSteps(compiled, stepped))).toEqual(expected);
        expect(stepped.decidedBy.all).toEqual(whole.decidedBy.all);
        if (!("action" in tree)) return;
        expect(decideOne(compiled, tree, asked(), new Lookup())).toEqual(atOnce);
        const onSet = {
          ...asked(),
          required: { action: tree.action, resource: { parts: [tree.resource] } as const },
        };
        expect(finish(decideSetsInSteps(compiled, onSet))).toEqual(expected);
      }),
      { numRuns: 600 },
    );
    expect(Math.min(seen.atOnce, seen.inSteps)).toBeGreaterThan(100);
  });

  it("are evaluated once for all resources of a test", () => {
    let left = 0;
    fc.assert(
      fc.property(policies, fields, (all, context) => {
        const compiled = compile(all, PARTITION);
        const test = outcomeTest(compiled, { user: "alice", action: ACTION, context }, new Lookup());
        for (const resource of RESOURCES) {
          if (test(resource) === undefined) left++;
          const decidedBy = new DecidingStatements();
          const one = { action: ACTION, resource };
          const expected = decide(compiled, { user: "alice", required: one, context, decidedBy });
          expect(finish(test.inSteps(resource))).toEqual(expected);
          expect(test.place().statementIn(compiled)).toBe(decidedBy.all[0]);
          expect(test(resource)).toEqual(expected);
        }
      }),
      { numRuns: 300 },
    );
    expect(left).toBeGreaterThan(50);
  });

  it("yield their price before they are evaluated, so that a budget ends them", () => {
    const list = Array.from({ length: 200 }, (_, index) => `*\${context.v}?${index}`);
    const condition = { StringLike: { "context.t": ["a"] }, StringLikeIfExists: { "context.t": list } };
    const only = { effect: "allow", action: ["*"], resource: "*", condition };
    const compiled = compile([{ name: "P", statement: [only] }], PARTITION);
    const context = new Map([
      ["context.t", "x".repeat(8000)],
      ["context.v", "x".repeat(4000)],
    ]);
    const request = {
      user: "alice",
      required: { action: ACTION, resource: RESOURCES[0] as string },
      context,
    };
    const units: number[] = [];
    for (const step of decideInSteps(compiled, request)) units.push(step);
    expect(Math.max(...units)).toBeGreaterThan(100_000_000);
    // Many steps, each of which costs nothing more.
    expect(units.filter((step) => step === 0).length).toBeGreaterThan(200);
  });
});
