import { parseYaml } from "@svc-authorizer/policy/source-files/yaml-source.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";

function faultsOf(text: string) {
  const parsed = parseYaml(text);
  return "faults" in parsed ? parsed.faults : [];
}

describe("a YAML data set", () => {
  it("reads back what was written, whatever its texts and names", () => {
    fc.assert(
      fc.property(
        fc.object({ key: fc.string({ unit: "grapheme" }), values: [fc.string(), fc.integer()] }),
        (value) => {
          const parsed = parseYaml(stringify(value, { schema: "core", version: "1.2", lineWidth: 0 }));
          if ("faults" in parsed) throw new Error(parsed.faults[0]?.message);
          expect(JSON.stringify(parsed.value)).toBe(JSON.stringify(value));
        },
      ),
      { numRuns: 200 },
    );
  });

  it("takes numbers, yes and dates for what YAML 1.2 says they are", () => {
    const parsed = parseYaml("a: yes\nb: 2024-01-01\nc: 1e3\nd: 0o17\n12: true\ne: 017\n");
    if ("faults" in parsed) throw new Error("not parsed");
    expect(parsed.value).toEqual({ a: "yes", b: "2024-01-01", c: 1000, d: 15, 12: true, e: 17 });
  });

  it.each([
    ["a: 1\nb:\n  c: 1\n  c: 2\n", "/b/c", 4, 3],
    ['list:\n  - {x: 1, "x": 2}\n', "/list/0/x", 2, 12],
    ["__proto__: 1\n__proto__: 2\n", "/__proto__", 2, 1],
    ["list:\n  - 1\n  - ? [complex]\n    : 1\n", undefined, 3, 7],
  ])("is refused for a key that is written twice, or is no text: %j", (text, pointer, line, column) => {
    const [fault] = faultsOf(text);
    expect(fault?.position).toEqual({ line, column });
    if (pointer !== undefined) {
      expect(fault).toMatchObject({ pointer, message: "the same field is written twice" });
    }
  });

  it.each([
    "format: 1\n---\nformat: 1\n",
    "a: !custom x\n",
    "a: *nowhere\n",
    "\tkey: 1\n",
    "a: 'open\n",
    "a: b: c\n",
    "a: @x\n",
    "%UNKNOWN x\n---\na: 1\n",
  ])("is refused at a place for what is no plain document: %j", (text) => {
    const faults = faultsOf(text);
    expect(faults.length).toBeGreaterThan(0);
    expect(faults[0]?.position?.line).toBeGreaterThan(0);
  });

  it("never quotes its text in a fault, which may hold secrets", () => {
    for (const text of [
      'a: "s3cr3t\n',
      "a: *s3cr3t\n",
      "a: !s3cr3t x\n",
      "s3cr3t: 1\ns3cr3t: 2\n",
      "a: [s3cr3t\nb: s3cr3t]]\n",
    ]) {
      const faults = faultsOf(text);
      expect(faults.length).toBeGreaterThan(0);
      expect(faults.map(({ message }) => message).join()).not.toContain("s3cr3t");
    }
  });

  it("cannot grow through aliases, nor refer to itself", () => {
    const levels = Array.from(
      { length: 12 },
      (_, i) => `l${i}: &l${i} [${Array(10).fill(i === 0 ? "x" : `*l${i - 1}`)}]`,
    );
    expect(faultsOf(`${levels.join("\n")}\n`)[0]?.message).toContain("too many aliases");
    expect(faultsOf("a: &a [*a]\n").length).toBe(1);
    expect(faultsOf("a: &a [1]\nb: *a\n")).toEqual([]);
  });

  it("nested very deeply is refused", () => {
    expect(faultsOf("[".repeat(20_000) + "]".repeat(20_000))[0]?.message).toBe("nested too deeply");
  });

  it("places values by pointer, through aliases, and missing ones at what is around them", () => {
    const parsed = parseYaml(
      "base: &base\n  x: [1, 2]\nusers:\n  - *base\n  - username: a\n    groups:\n      - g\n",
    );
    if ("faults" in parsed) throw new Error("not parsed");
    const places = parsed.locate([
      "/base/x/1",
      "/users/0/x/1",
      "/users/1/username",
      "/users/1/groups/0",
      "/users/1/no",
      "/no",
    ]);
    expect([...places.values()]).toEqual([
      { line: 2, column: 10 },
      { line: 2, column: 10 },
      { line: 5, column: 15 },
      { line: 7, column: 9 },
      { line: 5, column: 5 },
      { line: 1, column: 1 },
    ]);
  });
});
