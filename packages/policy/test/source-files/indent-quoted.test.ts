import { indentQuoted } from "@svc-authorizer/policy/source-files/configuration/indent-quoted.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

describe("a quoted text over several lines", () => {
  it.each([
    [
      "whose end stands below its key",
      `a:\n  b: '{\n    "c": 1\n  }'\nd: 2\n`,
      { a: { b: '{ "c": 1 }' }, d: 2 },
    ],
    ["whose lines stand at the margin", 'a:\n  b: "x\ny\nz"\nd: 2\n', { a: { b: "x y z" }, d: 2 }],
    ["with an escaped quote at an end", 'a:\n  b: "x\\"\ny"\nd: 2\n', { a: { b: 'x" y' }, d: 2 }],
    ["with a doubled quote", "a:\n  b: 'it''s\ngood'\n", { a: { b: "it's good" } }],
    ["in a list", 'a:\n  - "x\ny"\n  - z\n', { a: ["x y", "z"] }],
    ["that looks like a key inside", `a:\n  b: "x\nc: 'y"\nd: 2\n`, { a: { b: "x c: 'y" }, d: 2 }],
  ])("%s is read as the data server reads it", (_, text, value) => {
    expect(parse(indentQuoted(text))).toEqual(value);
    expect(indentQuoted(text).split("\n")).toHaveLength(text.split("\n").length);
  });

  it.each([
    ["a block", 'a: |\n  b: "x\n  y\nc: 1\n'],
    ["a comment", 'a: 1 # "x\nb: 2\n'],
    ["a text without its end", 'a:\n  b: "x\ny\n'],
    ["a text that is indented", 'a:\n  b: "x\n    y"\nc: 1\n'],
    ["a quote inside of a text", "a: it's\nb: 5\"\nc: 1\n"],
  ])("%s stays as it is", (_, text) => expect(indentQuoted(text)).toBe(text));

  it("changes no text that can be read", () => {
    const scalar = fc.oneof(
      fc.string().map((text) => JSON.stringify(text)),
      fc.constantFrom("1", "plain", "'single'", '|\n    a: "b\n    c'),
    );
    fc.assert(
      fc.property(fc.array(scalar, { maxLength: 5 }), (values) => {
        const text = values.map((value, index) => `k${index}:\n  v: ${value}\n`).join("");
        expect(parse(indentQuoted(text))).toEqual(parse(text));
      }),
    );
  });
});
