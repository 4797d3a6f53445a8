import {
  findText,
  leastMatches,
  SearchBudget,
  UNDECIDED,
} from "@svc-authorizer/policy/analysis/compare/pattern-language.ts";
import { Pattern } from "@svc-authorizer/policy/analysis/compare/pattern-positions.ts";
import { compileWildcard } from "@svc-authorizer/policy/engine/patterns/wildcard.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sized } from "../../../../test/proofs/size.ts";

const LETTERS = ["a", "b", "z", "日", "😀"];
const pattern = fc.string({ unit: fc.constantFrom("a", "b", "日", "*", "*", "?", "?"), maxLength: 6 });
const patterns = (most: number) => fc.array(pattern, { maxLength: most });

function textsUpTo(length: number): string[] {
  const lists: string[][] = [[""]];
  for (let size = 1; size <= length; size++) {
    lists.push((lists[size - 1] ?? []).flatMap((text) => LETTERS.map((letter) => text + letter)));
  }
  return lists.flat().slice(1);
}
const TEXTS = textsUpTo(4);

describe("a text of some patterns and of no others", () => {
  it("is found wherever there is a short one, and is what it says", () => {
    fc.assert(
      fc.property(fc.array(pattern, { minLength: 1, maxLength: 2 }), patterns(4), (inside, outside) => {
        const wanted = inside.map(compileWildcard);
        const unwanted = outside.map(compileWildcard);
        const fits = (text: string): boolean =>
          wanted.every((one) => one.match(text)) && !unwanted.some((one) => one.match(text));
        const found = findText(inside, outside);
        if (typeof found === "string") {
          expect(found).not.toBe("");
          expect(fits(found), found).toBe(true);
        } else {
          expect(found).toBeUndefined();
          expect(TEXTS.find(fits)).toBeUndefined();
        }
      }),
      { numRuns: sized(100, 1_000) },
    );
  });

  it.each([
    ["*??", ["??*"], "three bytes of one character are two for ? behind a *"],
    ["*???", ["??*"], "and four are three"],
  ])("%s without %j: %s", (inside, outside) => {
    const found = findText([inside], outside) as string;
    expect(compileWildcard(inside).match(found)).toBe(true);
    for (const one of outside) expect(compileWildcard(one).match(found)).toBe(false);
  });

  it("is not looked for where all effort is spent, and then never called absent", () => {
    const effort = new SearchBudget();
    expect(findText(["a*"], ["b*"], effort)).toBe("a");
    effort.left = 0;
    expect(findText(["a*"], ["b*"], effort)).toBe(UNDECIDED);
    expect(leastMatches(["a*"], ["b*"], effort)).toBe(UNDECIDED);
  });

  it("is given up where too many states are to be visited", () => {
    const behind = (letter: string, count: number): string => `*${letter}${"?".repeat(count)}`;
    const outside = Array.from({ length: 24 }, (_, index) => [
      behind("a", index),
      behind("b", index + 1),
    ]).flat();
    // Every text of this length ends in the way of some of them, and telling so takes all subsets.
    const found = findText(["?".repeat(40), "*a*a*a*b*"], outside);
    expect(typeof found === "string" || found === UNDECIDED).toBe(true);
  });
});

describe("the least matches", () => {
  it("have for every short text one that no more of the others match", () => {
    fc.assert(
      fc.property(fc.array(pattern, { minLength: 1, maxLength: 2 }), patterns(4), (inside, others) => {
        const wanted = inside.map(compileWildcard);
        const compiled = others.map(compileWildcard);
        const matchedBy = (text: string) =>
          compiled.flatMap((one, index) => (one.match(text) ? [index] : []));
        const least = leastMatches(inside, others);
        if (least === UNDECIDED) throw new Error("undecided");
        for (const { text, matched } of least) {
          expect(wanted.every((one) => one.match(text))).toBe(true);
          expect(matchedBy(text)).toEqual(matched);
        }
        for (const text of TEXTS.filter((one) => wanted.every((w) => w.match(one)))) {
          const matched = new Set(matchedBy(text));
          expect(least.some((one) => one.matched.every((index) => matched.has(index)))).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe("a pattern seen beside another", () => {
  it("covers only what it contains, and never denies a meeting", () => {
    fc.assert(
      fc.property(pattern, pattern, (one, other) => {
        const [wide, narrow] = [new Pattern(one), new Pattern(other)];
        const [wideMatch, narrowMatch] = [compileWildcard(one), compileWildcard(other)];
        const both = TEXTS.find((text) => wideMatch.match(text) && narrowMatch.match(text));
        if (both !== undefined) expect(wide.mayMeet(narrow)).toBe(true);
        if (wide.covers(narrow)) {
          expect(TEXTS.find((text) => narrowMatch.match(text) && !wideMatch.match(text))).toBeUndefined();
        }
      }),
      { numRuns: sized(300, 3_000) },
    );
  });

  it.each([
    ["*", "a*b", true],
    ["a*", "a*b", true],
    ["a*b", "ab", true],
    ["ab*ba", "aba", false],
    ["a?", "a*", false],
    ["a*", "a?", true],
    ["*a*", "ba?", true],
    ["repository/*", "repository/", true],
  ])("%s covers %s: %s", (wide, narrow, covers) => {
    expect(new Pattern(wide).covers(new Pattern(narrow))).toBe(covers);
  });
});
