import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson, parseJsonInTurns } from "../../src/http/body/json-body.ts";
import { sized } from "../proofs/size.ts";

/** Deepest nesting of a value, found the plain way. */
function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

const tooDeep = expect.objectContaining({
  problems: [{ pointer: "", message: expect.stringContaining("nested deeper") }],
});

describe("the depth of a body", () => {
  it("is bounded whatever else is in it", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 9 }), fc.integer({ min: 1, max: 8 }), (value, levels) => {
        const text = JSON.stringify(value);
        if (depthOf(value) > levels) expect(() => parseJson(text, levels)).toThrow(tooDeep);
        else expect(parseJson(text, levels)).toEqual(JSON.parse(text));
      }),
      { numRuns: sized(200, 2_000) },
    );
  });

  it.each([10, 100_000])("is found behind %i flat elements", (flat) => {
    const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
    const text = (levels: number) => `[${'["}}]]",1],'.repeat(flat)}${nested(levels)}]`;
    expect(parseJson(text(31), 32)).toHaveLength(flat + 1);
    expect(() => parseJson(text(32), 32)).toThrow(tooDeep);
  });

  it("of a large text is found before the value is made", () => {
    expect(() => parseJson("[".repeat(4_000_000), 32)).toThrow(tooDeep);
  });

  it("holds for members named like those of every object", () => {
    const text = `{"__proto__":${'{"__proto__":'.repeat(20)}1${"}".repeat(20)},"x":[{},{},{},{},{},{},{}]}`;
    expect(() => parseJson(text, 20)).toThrow(tooDeep);
    expect(parseJson(text, 21)).toBeTypeOf("object");
  });
});

describe("a large body", () => {
  const bounds = { depth: 32, values: 500_000 };
  const parsed = async (text: string) => parseJsonInTurns(Buffer.from(text), bounds);

  it.each([
    ["few texts", 10_000],
    ["many texts", 50_000],
  ])("of %s is what JSON.parse makes of it, or refused", async (_name, count) => {
    const value = { resources: Array.from({ length: count }, (_, index) => `${index} "ä" of many names`) };
    const text = JSON.stringify(value);
    expect(await parsed(text)).toEqual(value);
    const refused = { problems: [{ pointer: "", message: expect.stringMatching(/^not valid JSON/) }] };
    for (const damaged of [text.slice(0, -1), text.replace(",", ",,"), `${text}]`, text.replace('"', "'")]) {
      await expect(parsed(damaged)).rejects.toMatchObject(refused);
    }
  });
});
