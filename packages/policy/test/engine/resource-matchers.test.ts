import { ResourceMatchers } from "@svc-authorizer/policy/engine/matching/resource-matchers.ts";
import { matchesResource } from "@svc-authorizer/policy/engine/patterns/resource-pattern.ts";
import fc from "fast-check";
import { expect, it } from "vitest";
import { sized } from "../../../../test/proofs/size.ts";

const part = fc.constantFrom("", "a", "b", "*", "?", "${user}", "é", "\ud800", "/", "a*", "repository/");
const last = fc.array(part, { maxLength: 4 }).map((parts) => parts.join(""));
const head = fc.constantFrom(
  "arn:svc:fs:::",
  "arn:svc:fs:eu:acc:",
  "arn:svc:fs::${user}:",
  "arn:aws:fs:::",
  "arn:",
);
const text = fc.oneof(
  { weight: 9, arbitrary: fc.tuple(head, last).map((parts) => parts.join("")) },
  { weight: 1, arbitrary: fc.constantFrom("*", "", "a") },
);
const user = fc.constantFrom("a", "b", "*", "acc", "a/b");

it("patterns that are taken apart once match what each of them matches by itself", () => {
  let matched = 0;
  fc.assert(
    fc.property(
      user,
      fc.array(text, { minLength: 1, maxLength: 6 }),
      fc.array(text, { maxLength: 6 }),
      (name, patterns, resources) => {
        const matchers = new ResourceMatchers(name, "svc");
        for (const resource of resources.map((one) => one.toWellFormed())) {
          for (const pattern of patterns.map((one) => one.toWellFormed())) {
            const expected = matchesResource(pattern, resource, name, "svc");
            expect([pattern, resource, matchers.matches(pattern, resource)]).toEqual([
              pattern,
              resource,
              expected,
            ]);
            matched += Number(expected);
          }
        }
      },
    ),
    { numRuns: sized(100, 1_000) },
  );
  expect(matched).toBeGreaterThan(sized(8, 100));
});
