import { PatternIndex } from "@svc-authorizer/policy/analysis/compare/pattern-index.ts";
import { Pattern } from "@svc-authorizer/policy/analysis/compare/pattern-positions.ts";
import fc from "fast-check";
import { expect, it } from "vitest";

const pattern = fc.string({ unit: fc.constantFrom("a", "b", "*", "?", "é"), maxLength: 6 });

it("an index of patterns finds those that may meet another, all of them, in their order", () => {
  fc.assert(
    fc.property(fc.array(pattern, { maxLength: 20 }), pattern, (texts, asked) => {
      const items = texts.map((text) => ({ resource: new Pattern(text) }));
      const wanted = new Pattern(asked);
      const near = items.filter(({ resource }) => resource.mayMeet(wanted));
      const index = new PatternIndex(items);
      expect(index.near(wanted)).toEqual(near);
      expect(index.some(wanted, () => true)).toBe(near.length > 0);
      expect(index.some(wanted, (one) => one === near.at(-1))).toBe(near.length > 0);
    }),
    { numRuns: 5_000 },
  );
});
