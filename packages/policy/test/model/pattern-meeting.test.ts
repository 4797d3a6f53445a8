import { patternsMeet } from "@svc-authorizer/policy/model/pattern-meeting.ts";
import fc from "fast-check";
import { expect, it } from "vitest";
import { sized } from "../../../../test/proofs/size.ts";

it.each([
  ["fs:*", "fs:Read", true],
  ["fs:?", "fs:Read", false],
  ["*", "", true],
  ["", "", true],
  ["", "?", false],
  ["a*", "*b", true],
  ["a*c", "?b?", true],
  ["a*", "b*", false],
  ["repository/src", "repository/*/object/*", false],
  ["repository/src*", "repository/*/object/*", true],
])("%j and %j meet: %s", (left, right, meet) => {
  expect(patternsMeet(left, right)).toBe(meet);
  expect(patternsMeet(right, left)).toBe(meet);
});

it("agrees with looking for a text that both match", () => {
  const texts = [""];
  for (let from = 0; texts.length < 2_000; from++)
    for (const unit of "abc") texts.push(`${texts[from]}${unit}`);
  const expression = (pattern: string): RegExp =>
    new RegExp(`^${pattern.replaceAll("*", ".*").replaceAll("?", ".")}$`);
  const pattern = fc
    .array(fc.constantFrom("a", "b", "*", "?"), { maxLength: 4 })
    .map((units) => units.join(""));
  fc.assert(
    fc.property(pattern, pattern, (left, right) => {
      const [one, other] = [expression(left), expression(right)];
      // Four units of each side at most: a text of up to six units shows every meeting.
      expect(patternsMeet(left, right)).toBe(texts.some((text) => one.test(text) && other.test(text)));
    }),
    { numRuns: sized(100, 500) },
  );
});
