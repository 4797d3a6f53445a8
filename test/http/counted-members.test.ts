import { finish } from "@svc-authorizer/policy/engine/work.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { membersOfText, membersOfValue, membersOfValueInSteps } from "../../src/http/body/counted-members.ts";
import { repeatedMembers } from "../../src/http/body/repeated-members.ts";
import { openedOnce } from "../opened.ts";
import { post, startService } from "./service-kit.ts";

const NAMES = ["a", "\\u0061", "b", 'x:\\"y', "__proto__", "0"];
const text = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom("1", "null", '"a:\\"b"', '"\\\\"', "12345678901234567890"),
    fc.array(tie("value"), { maxLength: 3 }).map((values) => `[${values.join(",")}]`),
    fc
      .array(fc.tuple(fc.constantFrom(...NAMES), tie("value")), { maxLength: 3 })
      .map((members) => `{${members.map(([name, value]) => `"${name}": ${value}`).join()}}`),
  ),
})).value;

describe("members of a text and of its value", () => {
  it("are as many exactly where none is repeated", () => {
    fc.assert(
      fc.property(text, (json) => {
        const value = JSON.parse(json);
        const isRepeated = repeatedMembers(json, new Set()).length > 0;
        expect(membersOfText(json) > membersOfValue(value)).toBe(isRepeated);
        expect(finish(membersOfValueInSteps(value))).toBe(membersOfValue(value));
      }),
      { numRuns: 3_000 },
    );
  });
});

describe("a body with a repeated member", () => {
  const service = openedOnce(() => startService());

  const LEAF = '"required":{"action":"fs:ReadObject","resource":"*"}';
  const PARTS = '"action":{"name":"read"},"resource":{"type":"object","id":"data/x"}';
  const long = `"context":{"field":"${"x".repeat(250_000)}"}`;

  it.each([
    ["check", `{"user":"alice","user":"bob",${LEAF}}`, "/user"],
    [
      "check",
      `{"user":"alice",${LEAF},"context":{"SourceIp":"10.0.0.1","SourceIp":"10.0.0.2"}}`,
      "/context/SourceIp",
    ],
    ["check", `{"user":"alice","us\\u0065r":"bob",${LEAF}}`, "/user"],
    ["check", `{"user":"alice","user":"bob",${LEAF},${long}}`, "/user"],
    ["evaluation", `{"subject":{"type":"user","id":"alice","id":"bob"},${PARTS}}`, "/subject/id"],
    [
      "evaluations",
      `{"subject":{"type":"user","id":"alice"},${PARTS},"evaluations":[{},{"context":{"a":1,"a":2}}]}`,
      "/evaluations/1/context/a",
    ],
    ["plan", '{"user":"alice","action":"fs:ReadObject","action":"fs:WriteObject"}', "/action"],
  ])("of /%s is refused with its place: %s", async (path, body, pointer) => {
    const { status, body: answer } = await post(service, `/access/v1/${path}`, body);
    expect([status, answer]).toEqual([
      400,
      { message: "invalid request", problems: [{ pointer, message: "repeated" }] },
    ]);
  });
});
