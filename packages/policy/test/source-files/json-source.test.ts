import { parseJson } from "@svc-authorizer/policy/source-files/json-source.ts";
import { pointerOf } from "@svc-authorizer/policy/source-files/source.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

function parsedValue(text: string): unknown {
  const parsed = parseJson(text);
  if ("faults" in parsed) throw new Error(parsed.faults[0]?.message);
  return parsed.value;
}

function faultsOf(text: string) {
  const parsed = parseJson(text);
  return "faults" in parsed ? parsed.faults : [];
}

const NO_COMMENTS =
  "not valid JSON, which has no comments: remove it, or write YAML in a file that ends in .yaml";

describe("a JSON data set", () => {
  it("is read as JSON.parse reads it, whatever its texts and names", () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: "grapheme" }), (text) => {
        // fast-check's objects have no two members of one name.
        expect(parsedValue(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 300 },
    );
  });

  it("keeps texts that look like members, with quotes and backslashes", () => {
    const value = { 'a":': 'b":"c', "\\": '\\":', "\\\\": '"', "": ["{", ":", '"x":'] };
    for (const indent of [undefined, 2, "\t"]) {
      expect(parsedValue(JSON.stringify(value, null, indent))).toEqual(value);
    }
  });

  it.each([
    ['{"a": 1, "a": 1}', "/a", 1, 10],
    ['{"x": [{"b": 1},\n{"b": 1, "c": {}, "\\u0062": 2}]}', "/x/1/b", 2, 19],
    ['{"__proto__": 1, "__proto__": 2}', "/__proto__", 1, 18],
    ['{"a/b~": 1, "a/b~": 2}', "/a~1b~0", 1, 13],
  ])("is refused for a member that is written twice: %s", (text, pointer, line, column) => {
    expect(faultsOf(text)).toEqual([
      { pointer, isRepeated: true, message: "the same field is written twice", position: { line, column } },
    ]);
  });

  it.each([
    ['{"a": 1,\n "b": }', 2, 7],
    ['{"a": 1,}', 1, 9, "not valid JSON: the comma before this is one too many"],
    ["{'a': 1}", 1, 2, "not valid JSON: texts and names stand in double quotes"],
    ['{"secret_access_key": "hunter2" x}', 1, 33],
    ['{"a": [1, 2', 1, 12, "not valid JSON: the text ends too early, a bracket or a quote is missing"],
    ["", 1, 1],
    ['{"a": "x\ny"}', 1, 9],
    ["// no comments\n{}", 1, 1, NO_COMMENTS],
    ['{"a": 1, /* one */ "b": 2}', 1, 10, NO_COMMENTS],
    ['# none\n{"a": 1}', 1, 1, NO_COMMENTS],
  ])(
    "is refused at the place of a syntax error, without quoting the text: %j",
    (text, line, column, ...says) => {
      const [fault, ...more] = faultsOf(text);
      expect(more).toEqual([]);
      expect(fault?.position).toEqual({ line, column });
      expect(fault?.message).toBe(says[0] ?? "not valid JSON from here on");
    },
  );

  it("places values by pointer, and missing ones at what is around them", () => {
    const parsed = parseJson(
      '{\n  "users": [\n    {"username": "a"},\n    {"x/y": [1,\n 2], "~": {}}\n  ]\n}',
    );
    if ("faults" in parsed) throw new Error("not parsed");
    const places = parsed.locate([
      "",
      "/users/0/username",
      "/users/1/x~1y/1",
      "/users/1/~0",
      "/users/1/none",
      "/groups",
    ]);
    expect([...places]).toEqual([
      ["", { line: 1, column: 1 }],
      ["/users/0/username", { line: 3, column: 18 }],
      ["/users/1/x~1y/1", { line: 5, column: 2 }],
      ["/users/1/~0", { line: 5, column: 11 }],
      ["/users/1/none", { line: 4, column: 5 }],
      ["/groups", { line: 1, column: 1 }],
    ]);
  });

  it("places every value of any document at its own text", () => {
    const nested = fc.letrec((tie) => ({
      value: fc.oneof(fc.string(), fc.integer(), tie("list"), tie("object")),
      list: fc.array(tie("value"), { maxLength: 3 }),
      object: fc.dictionary(fc.string(), tie("value"), { maxKeys: 3 }),
    })).value;
    fc.assert(
      fc.property(nested, (value) => {
        const text = JSON.stringify(value, null, 1);
        const parsed = parseJson(text);
        if ("faults" in parsed) throw new Error("not parsed");
        const lines = text.split("\n");
        const look = (part: unknown, path: (string | number)[]): void => {
          const place = parsed.locate([pointerOf(path)]).get(pointerOf(path));
          const first =
            typeof part === "object" && part !== null
              ? Array.isArray(part)
                ? "["
                : "{"
              : JSON.stringify(part);
          expect(lines[(place?.line ?? 0) - 1]?.slice((place?.column ?? 0) - 1).startsWith(first)).toBe(true);
          if (typeof part !== "object" || part === null) return;
          for (const [key, member] of Object.entries(part)) look(member, [...path, key]);
        };
        look(value, []);
      }),
      { numRuns: 200 },
    );
  });

  it("nested a million deep is neither a crash nor slow", () => {
    const text = `${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}`;
    const parsed = parseJson(text);
    if ("faults" in parsed) return;
    expect(parsed.locate(["/0/0/0"]).get("/0/0/0")).toEqual({ line: 1, column: 4 });
  });
});
