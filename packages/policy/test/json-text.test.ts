/** JSON with escapes in names, also after texts that make V8 misread such names (https://github.com/nodejs/node/issues/63785). */

import { hasEscapedName, parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sized } from "../../../test/proofs/size.ts";

/** Texts of what matters to names. */
const piece = fc.constantFrom(
  "\\",
  '"',
  "a",
  "b",
  "~",
  "~~",
  "0",
  "1",
  "\n",
  "ü",
  ":",
  ",",
  "{",
  "\ud800",
  "__proto__",
  "/",
);
const name = fc.array(piece, { maxLength: 4 }).map((parts) => parts.join(""));
const { any } = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    name,
    fc.integer(),
    fc.constantFrom(null, true, false),
    fc.array(tie("any"), { maxLength: 3 }),
    fc.array(fc.tuple(name, tie("any")), { maxLength: 4 }).map((members) => ({ members })),
  ),
}));

interface Members {
  readonly members: readonly (readonly [string, unknown])[];
}

/** The JSON text of a value, whose names may come twice, with some characters escaped that need not be. */
function textOf(of: unknown, escapes: () => boolean, gap: string): string {
  if (Array.isArray(of)) return `[${gap}${of.map((one) => textOf(one, escapes, gap)).join(`${gap},`)}]`;
  if (typeof of === "string") return stringOf(of, escapes);
  if (typeof of !== "object" || of === null) return JSON.stringify(of);
  const members = (of as Members).members.map(
    ([key, one]) => `${stringOf(key, escapes)}${gap}:${gap}${textOf(one, escapes, gap)}`,
  );
  return `{${gap}${members.join(`,${gap}`)}}`;
}

function stringOf(text: string, escapes: () => boolean): string {
  const units = Array.from({ length: text.length }, (_, index) => {
    const unit = text[index]!;
    if (escapes()) return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
    return unit === "/" && escapes() ? "\\/" : JSON.stringify(unit).slice(1, -1);
  });
  return `"${units.join("")}"`;
}

/** Every object of a value as a list of its members: names and their order are compared, too. */
function spelledOut(of: unknown): unknown {
  if (Array.isArray(of)) return of.map(spelledOut);
  if (typeof of !== "object" || of === null) return of;
  return { members: Object.entries(of).map(([key, one]) => [key, spelledOut(one)]) };
}

/** The value that a text has to be read as: its members are put into objects one by one. */
function wanted(of: unknown): unknown {
  if (Array.isArray(of)) return of.map(wanted);
  if (typeof of !== "object" || of === null) return of;
  const object = {};
  for (const [key, one] of (of as Members).members)
    Object.defineProperty(object, key, {
      value: wanted(one),
      writable: true,
      enumerable: true,
      configurable: true,
    });
  return object;
}

describe("parseJsonText", () => {
  it("reads any names as they are, whatever was read before", () => {
    fc.assert(
      fc.property(
        any,
        fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
        fc.constantFrom("", " ", "\n\t"),
        (of, flags, gap) => {
          let used = 0;
          const text = textOf(of, () => flags[used++ % flags.length]!, gap);
          expect(spelledOut(parseJsonText(text))).toEqual(spelledOut(wanted(of)));
        },
      ),
      { numRuns: sized(300, 3_000) },
    );
  });

  it.each([
    ['{"one":1,"\\\\":2}', '{"one":1,"\\n":2}', "\n"],
    ['{"two":1,"a\\\\":2}', '{"two":1,"a\\u00fc":2}', "aü"],
    ['{"three":1,"https:/\\\\":2}', '{"three":1,"https:\\/\\/":2}', "https://"],
    ['{"four":1,"a\\\\":2}', '{"four":1,"a\\"":2}', 'a"'],
  ])("reads it after %s: %s", (before, text, second) => {
    JSON.parse(before);
    expect(Object.keys(parseJsonText(text) as object)[1]).toBe(second);
  });

  it("leaves nothing behind that changes what others read", () => {
    parseJsonText('{"five":1,"\\\\":2}');
    expect(Object.keys(JSON.parse('{"five":1,"\\n":2}') as object)[1]).toBe("\n");
  });

  it("refuses what JSON.parse refuses, and reads all else", () => {
    const text = fc
      .array(
        fc.constantFrom(
          '"',
          "\\",
          "\\u0041",
          "\\n",
          "a",
          ":",
          ",",
          "{",
          "}",
          "[",
          "]",
          "1",
          " ",
          '":"',
          '{"a":',
          '"b\\":',
        ),
        {
          maxLength: 14,
        },
      )
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, (given) => {
        expect(isRead(given)).toBe(isJson(given));
      }),
      { numRuns: sized(1_000, 10_000) },
    );
  });

  it.each([['{"k":\\u0031,":x":2}'], ['{"k":1,\\"a":2}'], ['{\\"a":1}'], ['{"a\\":1}'], ['{"a\\u00":1}']])(
    "refuses an escape outside of a string, or half of one: %s",
    (text) => {
      expect(() => parseJsonText(text)).toThrow(SyntaxError);
    },
  );

  it("reads a deep value without recursion", () => {
    const depth = 20_000;
    const text = `${'{"\\n":'.repeat(depth)}1${"}".repeat(depth)}`;
    let inner = parseJsonText(text);
    for (let level = 0; level < depth; level++) inner = (inner as Record<string, unknown>)["\n"];
    expect(inner).toBe(1);
  });
});

describe("hasEscapedName", () => {
  it.each([
    ['{"a":"\\n"}', false],
    ['["\\n", {"a": 1}]', false],
    ['{"\\u0061":1}', true],
    ['{"a":"\\\\", "b\\"" : 1}', true],
    ['{"a":"\\":", "b":1}', false],
  ])("%s: %s", (text, has) => {
    expect(hasEscapedName(text)).toBe(has);
  });
});

function isRead(text: string): boolean {
  try {
    parseJsonText(text);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError);
    return false;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
