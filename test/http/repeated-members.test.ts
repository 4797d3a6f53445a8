import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { repeatedMembers, repeatedMembersInSteps } from "../../src/http/body/repeated-members.ts";
import { sized } from "../proofs/size.ts";

const found = (text: string) =>
  repeatedMembers(text, new Set(["body"])).map(({ pointer, message }) => `${pointer} ${message}`);

describe("members that are there more than once", () => {
  it.each<[string, string[]]>([
    ['{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}', []],
    ['{"a":1,"a":1}', ["/a repeated"]],
    ['{"a":1,"\\u0061":1}', ["/a repeated"]],
    ['{"x":{"y":[0,{"z":1,"z":2,"z":3}]}}', ["/x/y/1/z repeated", "/x/y/1/z repeated"]],
    ['{"a/b":{"c~":1,"c~":1}}', ["/a~1b/c~0 repeated"]],
    ['{"__proto__":1,"__proto__":2}', ["/__proto__ repeated"]],
    ['{"":1,"":2}', ["/ repeated"]],
    ['[{"a":1,"a":1}]', ["/0/a repeated"]],
    ['{"a":{"x":1},"a":{"x":1}}', ["/a repeated"]],
    // Letter case matters outside the named members, and to their own names.
    ['{"a":1,"A":1}', []],
    ['{"body":1,"Body":{"a":1,"A":1}}', []],
    ['{"x":{"body":{"a":1,"A":1}}}', []],
    ['{"body":{"a":1,"A":1}}', ["/body/A repeated, ignoring letter case"]],
    ['{"body":[{"b":{"Ab":1,"aB":1}}]}', ["/body/0/b/aB repeated, ignoring letter case"]],
    ['{"body":{},"x":{"a":1,"A":1}}', []],
    // Go folds these two as well.
    ['{"body":{"paths":1,"path\u017f":1}}', ["/body/path\u017f repeated, ignoring letter case"]],
    ['{"body":{"k":1,"\u212a":1}}', ["/body/\u212a repeated, ignoring letter case"]],
    ['{"body":{"i":1,"\u0130":1}}', []],
    ["1", []],
  ])("%s", (text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  it("are found in steps of a bounded length", () => {
    const text = `{${Array.from({ length: 50_000 }, (_, index) => `"${index}":[{"a":"b"}]`).join()},"0":1}`;
    const steps = repeatedMembersInSteps(text, new Set());
    let count = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) count++;
    expect(count).toBeGreaterThan(text.length / 33_000);
    expect(step.value).toEqual([{ pointer: "/0", message: "repeated" }]);
  });

  it("every pair that is equal under simple case folding is found", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 2 }), (name) => {
        for (const other of [name.toLowerCase(), name.toUpperCase()]) {
          if (other === name || !new RegExp(`^${RegExp.escape(name)}$`, "iu").test(other)) continue;
          expect(found(JSON.stringify({ body: { [name]: 1, [other]: 2 } })), name).toHaveLength(1);
        }
      }),
      { numRuns: sized(200, 2_000) },
    );
  });
});
