import { conditionProblems, FIELD_LIMITS, isExtended } from "@svc-authorizer/policy/model/condition.ts";
import { OPERATOR_NAMES, operatorOf } from "@svc-authorizer/policy/model/condition-operators.ts";
import type { Condition } from "@svc-authorizer/policy/model/policy.ts";
import { describe, expect, it } from "vitest";

/** A value that each operator can read. */
const SOUND = (name: string): string =>
  name.startsWith("Arn")
    ? "arn:svc:fs:::x"
    : name.includes("Ip")
      ? "10.0.0.0/8"
      : name.startsWith("Date")
        ? "2026"
        : name.startsWith("Num")
          ? "1"
          : "true";

const problems = (condition: Condition): string[] =>
  conditionProblems(condition, "/c").map(({ pointer, message }) => `${pointer}: ${message}`);

describe("operators", () => {
  it("are the data server's four and IAM's, 22 names in all", () => {
    expect(new Set(OPERATOR_NAMES).size).toBe(27);
    expect(OPERATOR_NAMES.filter((name) => operatorOf(name)?.plain)).toEqual([
      "IpAddress",
      "NotIpAddress",
      "StringLike",
      "StringNotLike",
    ]);
  });

  it.each(OPERATOR_NAMES)("%s may be written in all its forms", (name) => {
    const forms = ["", "ForAnyValue:", "ForAllValues:"].flatMap((prefix) => [
      `${prefix}${name}`,
      `${prefix}${name}IfExists`,
    ]);
    for (const form of forms) {
      const known = name !== "Null" || form === "Null";
      expect([form, problems({ [form]: { "context.x": [SOUND(name)] } }).length]).toEqual([
        form,
        known ? 0 : 1,
      ]);
      // One of the data server's is one of its four only in its bare form.
      expect(operatorOf(form)?.plain ?? false).toBe(form === name && (operatorOf(name)?.plain ?? false));
    }
  });

  it.each([
    "",
    "Bool ",
    "bool",
    "IfExists",
    "ForAnyValue:",
    "ForAnyValue:Nope",
    "ArnLikes",
    "__proto__",
    "toString",
  ])("%j is unknown", (name) => {
    const condition = JSON.parse(`{${JSON.stringify(name)}: {"x": ["true"]}}`) as Condition;
    expect(problems(condition)[0]).toContain("unknown operator; known are IpAddress");
  });

  it("tell why Null has no other form", () => {
    expect(problems({ NullIfExists: {} })[0]).toContain("Null takes neither IfExists nor");
    expect(problems({ "ForAllValues:Null": {} })[0]).toContain("Null takes neither IfExists nor");
  });
});

describe("values", () => {
  it("have all their problems told at once", () => {
    const found = conditionProblems(
      {
        NumericEquals: { "context.a": ["1", "one", "${subject.x}"], "context.b": [] },
        DateLessThanIfExists: { "context.c/d": ["tomorrow"] },
        "ForAnyValue:Bool": { "": ["yes"] },
        Null: { "context.e": ["null"] },
        "ForAllValues:NotIpAddress": { "context.f": ["10.0.0.0/8", "localhost"] },
        StringEquals: { "context.g": ["${user}", "${nobody}", "${user"] },
        "ForAnyValue:StringLike": { "context.h": ["${subject.a, b}"] },
        StringLike: { "context.i": ["${nobody}", "${user"] },
        Unheard: { "context.j": [] },
      },
      "/c",
    );
    const problem = (pointer: string, message: string) => ({
      pointer: `/c/${pointer}`,
      message: expect.stringContaining(message),
    });
    expect(found).toEqual([
      problem("NumericEquals/context.a/1", "is no number"),
      problem("NumericEquals/context.a/2", "is no number"),
      problem("NumericEquals/context.b", "has no values"),
      problem("DateLessThanIfExists/context.c~1d/0", "is no date"),
      problem("ForAnyValue:Bool/", "the field name is empty"),
      problem("ForAnyValue:Bool//0", 'neither "true" nor "false"'),
      problem("Null/context.e/0", 'neither "true" nor "false"'),
      problem("ForAllValues:NotIpAddress/context.f/1", "is no IP address or CIDR"),
      problem("StringEquals/context.g/1", "unknown variable ${nobody}"),
      problem("StringEquals/context.g/2", "${ without }"),
      problem("ForAnyValue:StringLike/context.h/0", "default without quotes"),
      problem("Unheard", "unknown operator"),
    ]);
  });

  it("may not be read from a field with a name that no request can have", () => {
    const named = (length: number) => problems({ StringEquals: { ["x".repeat(length)]: ["a"] } }).length;
    expect([named(FIELD_LIMITS.name), named(FIELD_LIMITS.name + 1)]).toEqual([0, 1]);
  });
});

it("a condition is extended that a data server cannot evaluate", () => {
  expect(isExtended({ IpAddress: { SourceIp: ["::1"] }, StringNotLike: { SourceIp: ["a"] } })).toBe(false);
  expect(isExtended({ IpAddressIfExists: { SourceIp: ["::1"] } })).toBe(true);
  expect(isExtended({ IpAddress: { sourceIp: ["::1"] } })).toBe(true);
  expect(isExtended({ StringEquals: {} })).toBe(true);
  expect(isExtended({ StringEquals: { a: ["b"] }, Unheard: {} })).toBe(false);
  expect([isExtended({}), isExtended(null), isExtended(undefined)]).toEqual([false, false, false]);
});
