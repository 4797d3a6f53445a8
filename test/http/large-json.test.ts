import { isDeepStrictEqual } from "node:util";
import { canonicalDecimal, exactNumber, TOO_MANY_DIGITS } from "@svc-authorizer/policy/decimal.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findBreach, NotJson, parseInSteps } from "../../src/http/body/large-json.ts";

function runAll<T>(steps: Generator<unknown, T>): { value: T; steps: number } {
  let count = 0;
  for (;;) {
    const { done, value } = steps.next();
    if (done) return { value, steps: count };
    count++;
  }
}

/** The value of a text, or "not JSON". */
function outcome(parse: () => unknown): unknown {
  try {
    return { value: parse() };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof NotJson) return "not JSON";
    throw error;
  }
}

const inSteps = (text: string) => outcome(() => runAll(parseInSteps(text)).value);
const atOnce = (text: string) => outcome(() => JSON.parse(text, keepDigits));

/** A number that no double is becomes the text of its digits, and one of too many digits is refused. */
function keepDigits(_name: string, value: unknown, { source }: { readonly source?: string } = {}): unknown {
  if (typeof value !== "number" || source === undefined || exactNumber(source) !== undefined) return value;
  const digits = canonicalDecimal(source);
  if (digits === undefined) throw new SyntaxError(TOO_MANY_DIGITS);
  return digits;
}

/** Compares without printing texts of this size. */
const same = (text: string) => isDeepStrictEqual(inSteps(text), atOnce(text));

const LONG = "x".repeat(40_000);
const BLANKS = " ".repeat(40_000);

/** Strings in which quotes and backslashes stand at every place, alone and in a row. */
const ESCAPES = Array.from({ length: 40 }, (_, length) => "x".repeat(length)).flatMap((text) =>
  ["", '"', "\\", '\\"', '"\\', '"x"', '""""'].flatMap((end) => [
    JSON.stringify(text + end),
    JSON.stringify(`${text}${end},]${text}`),
  ]),
);
const MEMBERS = Array.from({ length: 12 }, (_, more) => `[${'"",'.repeat(5455 + more)}1]`);

describe("parsing in steps", () => {
  it.each([
    ["many small arrays", `[${"[],".repeat(30_000)}[]]`],
    [
      "many members",
      `{${Array.from({ length: 20_000 }, (_, index) => `"${index}":{"a":[${index}]}`).join()}}`,
    ],
    ["repeated members", `{"a":"${LONG}","b":1,"a":2,"c":"${LONG}"}`],
    ["large members in large members", `{"a":[{"b":["${LONG}",1]},2,"${LONG}"], "c" : {"d":"${LONG}"} }`],
    ["__proto__ in a small member", `{"x":"${LONG}","__proto__":{"a":1}}`],
    ["__proto__ as a large member", `{"__proto__":["${LONG}"],"x":1}`],
    ["strings with brackets, commas and quotes", `["${'\\",[]{}\\\\'.repeat(9000)}","${LONG}",1]`],
    ["strings of all lengths that end in escapes", `[${ESCAPES.join()}]`],
    ["members of all lengths around a group's", `[${MEMBERS.join()}]`],
    ["an array of white space", `[${BLANKS}]`],
    ["an object of white space", `  {${BLANKS}}  `],
    ["a long string alone", `"${LONG}"`],
  ])("%s: as JSON.parse", (_name, text) => {
    expect([same(text), inSteps(text) === "not JSON"]).toEqual([true, false]);
  });

  it("a number that no double is becomes the text of its digits", () => {
    const text = `["${LONG}",9007199254740993,[${BLANKS}0.10000000000000000001,1.5,1e300]]`;
    expect(inSteps(text)).toEqual({
      value: [LONG, "9007199254740993", ["0.10000000000000000001", 1.5, 1e300]],
    });
  });

  it("a number of more digits than are kept is refused with words", () => {
    expect(() => runAll(parseInSteps(`[${"1".repeat(40_000)}]`))).toThrow("more than 40 digits");
  });

  it.each([
    ["a comma before the end", `["${LONG}",]`],
    ["a comma and white space before the end", `["${LONG}",${BLANKS}]`],
    ["a comma at the beginning", `[,"${LONG}"]`],
    ["two commas", `["${LONG}",,"${LONG}"]`],
    ["two commas around white space", `["${LONG}",${BLANKS},1]`],
    ["no comma", `["${LONG}" "${LONG}"]`],
    ["the wrong bracket", `["${LONG}"}`],
    ["the wrong bracket inside", `[{"a":"${LONG}"],1]`],
    ["a bracket too many", `["${LONG}"]]`],
    ["a bracket too few", `[["${LONG}"]`],
    ["no end of a string", `["${LONG}`],
    ["a member without a name", `{"a":"${LONG}",1}`],
    ["a large member without a colon", `{"a" "${LONG}"}`],
    ["a large member without a value", `{"a":1,"${LONG}"}`],
    ["a large member whose name is no string", `{a:"${LONG}"}`],
    ["text behind the value", `["${LONG}"]x`],
    ["nothing", BLANKS],
  ])("%s: not JSON, as for JSON.parse", (_name, text) => {
    expect([inSteps(text) === "not JSON", same(text)]).toEqual([true, true]);
  });

  it("equals JSON.parse on random texts, sound and damaged, but for numbers that no double is", () => {
    const large = fc
      .json({ maxDepth: 6 })
      .map((text) => `[${text},"${LONG}",${text},{"k":${text},"l":"${LONG}"}]`);
    const damage = fc.tuple(fc.nat(), fc.constantFrom("", ",", "]", "}", "[", "{", '"', ":", " ", "\\", "1"));
    fc.assert(
      fc.property(large, fc.option(damage), (text, damaged) => {
        const at = damaged === null ? 0 : damaged[0] % text.length;
        const given = damaged === null ? text : text.slice(0, at) + damaged[1] + text.slice(at + 1);
        expect(same(given)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it("takes many steps, each of a bounded length", () => {
    const large = `[${`${" ".repeat(17_000)}1,`.repeat(100)}1]`;
    expect(runAll(parseInSteps(large)).steps).toBeGreaterThanOrEqual(100);
    const text = `[${"{},".repeat(300_000)}{}]`;
    expect(runAll(parseInSteps(text)).steps).toBeGreaterThan(text.length / 40_000);
    expect(
      runAll(findBreach(text, { depth: 2, values: 1e6, scalar: 1e6, members: 1e6 })).steps,
    ).toBeGreaterThan(text.length / 70_000);
  });
});

describe("the bounds of a text", () => {
  const breach = (text: string, depth: number, values: number) =>
    runAll(findBreach(text, { depth, values, scalar: 1e6, members: 1e6 })).value;

  it("count nesting and values, and nothing in strings", () => {
    expect(breach("[[1]]", 2, 10)).toEqual({ values: 2, names: 0 });
    expect(breach("[[1]]", 1, 10)).toBe("depth");
    expect(breach("[1,2,3]", 1, 3)).toEqual({ values: 3, names: 0 });
    expect(breach("[1,2,3,4]", 1, 3)).toBe("values");
    expect(breach('["[[[,,,\\",,"]', 1, 1)).toEqual({ values: 1, names: 0 });
  });

  it("count the members of each object by itself", () => {
    const bounds = { depth: 3, values: 100, scalar: 100, members: 2 };
    const of = (text: string) => runAll(findBreach(text, bounds)).value;
    expect(of('[{"a":1,"b":{"c":1,"d":2}},{"a":":::","b":2}]')).toEqual({ values: 8, names: 6 });
    expect(of('[{"a":1,"b":{"c":1},"c":2}]')).toBe("members");
    expect(of('{"a":{"a":1,"b":2,"c":3}}')).toBe("members");
  });

  it.each([
    ["a string", `["${"x".repeat(1000)}"]`, `["${"x".repeat(998)}"]`],
    ["a string without an end", `["${"x".repeat(2000)}`, `["${"x".repeat(500)}`],
    ["a number", `[${"1".repeat(1001)}]`, `[${"1".repeat(999)},${"1".repeat(999)}]`],
    ["a fraction", `[0.${"1".repeat(1001)}]`, `[${"1".repeat(600)}.${"1".repeat(600)}]`],
  ])("limit the length of %s", (_name, tooLong, within) => {
    const bounds = { depth: 10, values: 10, scalar: 1000, members: 10 };
    expect(runAll(findBreach(tooLong, bounds)).value).toBe("scalar");
    expect(runAll(findBreach(within, bounds)).value).toBeTypeOf("object");
  });
});
