import { canonicalDecimal, exactNumber } from "@svc-authorizer/policy/decimal.ts";
import { parseJsonText, UnreadableNumber } from "@svc-authorizer/policy/json-text.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sized } from "../../../test/proofs/size.ts";

/** A decimal number as a fraction of whole numbers, without any double. */
function fractionOf(text: string): readonly [bigint, bigint] {
  const [, sign, whole = "", fraction = "", power = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(
    text,
  )!;
  const scale = BigInt(power) - BigInt(fraction.length);
  const digits = BigInt(whole + fraction) * (sign === "-" ? -1n : 1n);
  return scale >= 0n ? [digits * 10n ** scale, 1n] : [digits, 10n ** -scale];
}

function isSame(a: string, b: string): boolean {
  const [[n, d], [m, e]] = [fractionOf(a), fractionOf(b)];
  return n * e === m * d;
}

const digits = (most: number) =>
  fc.array(fc.constantFrom(..."0123456789"), { minLength: 1, maxLength: most }).map((all) => all.join(""));
const whole = digits(45).map((text) => text.replace(/^0+(?=\d)/, ""));
const literal = fc
  .tuple(fc.boolean(), whole, fc.option(digits(30)), fc.option(fc.integer({ min: -45, max: 45 })))
  .map(
    ([negative, before, after, power]) =>
      `${negative ? "-" : ""}${before}${after === null ? "" : `.${after}`}${power === null ? "" : `e${power}`}`,
  );

describe("the text of a number", () => {
  it("denotes exactly the number, and is the same for all spellings of it", () => {
    fc.assert(
      fc.property(literal, (text) => {
        const canonical = canonicalDecimal(text);
        if (canonical === undefined) {
          // Only a number that no double is may be refused.
          const nearest = JSON.stringify(Number(text));
          expect(nearest === "null" || !isSame(nearest, text)).toBe(true);
          return;
        }
        expect(isSame(canonical, text), `${text} ${canonical}`).toBe(true);
        expect(canonicalDecimal(canonical)).toBe(canonical);
        if (!canonical.includes("e")) expect(canonical.replaceAll(/\D/g, "").length).toBeLessThanOrEqual(40);
        const nearest = JSON.stringify(Number(text));
        expect(canonical === nearest).toBe(isSame(nearest, text));
        expect(exactNumber(text)).toBe(isSame(nearest, text) ? Number(text) : undefined);
      }),
    );
  });

  it.each([
    ["1780921717355446273", "1780921717355446273"],
    ["1780921717355446273.0", "1780921717355446273"],
    ["9007199254740993", "9007199254740993"],
    ["9007199254740992", "9007199254740992"],
    ["1.0", "1"],
    ["-0", "0"],
    ["0.1", "0.1"],
    ["1e21", "1e+21"],
    ["1000000000000000000000", "1e+21"],
    ["0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"],
    ["1e999", undefined],
    ["1e-999", undefined],
    ["0e999", "0"],
    [`${"0".repeat(1_000_000)}.${"0".repeat(1_000_000)}`, "0"],
    [`1${"0".repeat(1_000_000)}1`, undefined],
    ["1".repeat(41), undefined],
    ["one", undefined],
  ])("%s", (text, expected) => expect(canonicalDecimal(text)).toBe(expected));
});

/** JSON values with numbers as their literals. */
const json = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    literal,
    fc.constantFrom("1", "0.5", "-12", "true", "null"),
    fc.string().map((text) => JSON.stringify(text)),
    fc.constantFrom(
      '"1780921717355446273"',
      '"a: 12345678901234567890, b"',
      '"\\"12345678901234567890"',
      '"x\\\\"',
    ),
    fc.array(tie("value"), { maxLength: 4 }).map((all) => `[${all.join(" , ")}]`),
    fc
      .dictionary(fc.oneof(fc.string(), fc.constantFrom("12345678901234567890", "1e999")), tie("value"), {
        maxKeys: 4,
      })
      .map(
        (all) =>
          `{${Object.entries(all)
            .map(([name, value]) => `${JSON.stringify(name)} : ${value}`)
            .join(",")}}`,
      ),
  ),
})).value;

/** The value with each number as the text that is expected of it; undefined if one is refused. */
function expected(text: string): unknown {
  let isRefused = false;
  const value: unknown = JSON.parse(
    text,
    (_name, parsed: unknown, context?: { readonly source?: string }) => {
      if (typeof parsed !== "number") return parsed;
      const canonical = canonicalDecimal(context?.source ?? "");
      if (canonical === undefined) isRefused = true;
      return canonical;
    },
  );
  return isRefused ? undefined : value;
}

function numbersAsTexts(value: unknown): unknown {
  if (typeof value === "number") return JSON.stringify(value);
  if (Array.isArray(value)) return value.map(numbersAsTexts);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, numbersAsTexts(one)]));
}

describe("JSON", () => {
  it("keeps each number, or refuses it", () => {
    fc.assert(
      fc.property(json, (text) => {
        const wanted = expected(text);
        if (wanted === undefined) expect(() => parseJsonText(text)).toThrow(UnreadableNumber);
        else expect(numbersAsTexts(parseJsonText(text))).toEqual(numbersAsTexts(wanted));
      }),
      { numRuns: sized(100, 500) },
    );
  });

  it.each([
    "{1780921717355446273: 1}",
    "[01780921717355446273]",
    "[1780921717355446273.]",
    "[1780921717355446273e]",
    "1780921717355446273 1",
    "[--1780921717355446273]",
    '1780921717355446273"a"',
  ])("%s is still none", (text) => expect(() => parseJsonText(text)).toThrow(SyntaxError));
});
