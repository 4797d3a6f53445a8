import fc from "fast-check";
import { expect, it } from "vitest";
import { TextMap } from "../../src/compact/text-map.ts";

it("has the first value of every key, and of no other", () => {
  const texts = fc.array(fc.tuple(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" })));
  fc.assert(
    fc.property(texts, fc.string(), (pairs, other) => {
      const map = new TextMap();
      const expected = new Map<string, string>();
      for (const [key, value] of pairs) {
        expect(map.add(key, value)).toBe(!expected.has(key));
        if (!expected.has(key)) expected.set(key, value);
      }
      for (const [key, value] of expected) expect(map.get(key)).toBe(value);
      expect(map.get(other)).toBe(expected.get(other));
    }),
  );
});

it("has values that fill several chunks of memory", () => {
  const map = new TextMap();
  const textAt = (index: number) => `${index}-`.padEnd(index * 13, "ü");
  for (let index = 0; index < 2_000; index++) map.add(String(index), textAt(index));
  for (let index = 0; index < 2_000; index++) expect(map.get(String(index))).toBe(textAt(index));
});
