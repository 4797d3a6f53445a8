import fc from "fast-check";
import { expect, it } from "vitest";
import { jsonTexts } from "../../src/compact/json-texts.ts";
import { PackedList } from "../../src/compact/packed-list.ts";

it("writes what JSON.stringify writes, of lists as well", () => {
  const members = fc.dictionary(fc.string(), fc.oneof(fc.jsonValue(), fc.constant(undefined)));
  fc.assert(
    fc.property(members, (value) => {
      expect([...jsonTexts(value)].join("")).toBe(JSON.stringify(value));
    }),
  );
});

it("writes a long list in pieces", () => {
  const list = new PackedList<string>();
  const values = Array.from({ length: 20_000 }, (_, index) => `value ${index}`);
  for (const value of values) list.push(value);
  const texts = [...jsonTexts({ list, length: list.length })];
  expect(texts.length).toBeGreaterThan(2);
  expect(JSON.parse(texts.join(""))).toEqual({ list: values, length: values.length });
});
