import { conditionWarnings } from "@svc-authorizer/policy/model/condition-warnings.ts";
import type { Condition } from "@svc-authorizer/policy/model/policy.ts";
import { describe, expect, it } from "vitest";

function warnings(effect: "allow" | "deny", condition: Condition, action = "fs:ReadObject"): string[] {
  const found = conditionWarnings({ effect, action: [action], resource: "*", condition });
  return found.map(({ message }) => message);
}
const told = (found: readonly string[], part: string): boolean => found.some((one) => one.includes(part));

const SOURCE_IP = { IpAddress: { SourceIp: ["10.0.0.0/8"] } };

it("an extended condition is told how data servers get it, any other what their lists make of it", () => {
  const extended = { StringEquals: { "subject.team": ["red"] } };
  expect(warnings("allow", extended, "*")).toEqual([expect.stringContaining("this allow is not sent to it")]);
  expect(warnings("deny", extended, "*")).toEqual([
    expect.stringContaining("this deny is sent to it without the condition"),
  ]);
  expect(told(warnings("allow", SOURCE_IP, "*"), "when it lists repositories")).toBe(true);
  expect(told(warnings("allow", SOURCE_IP), "when it lists repositories")).toBe(false);
});

it("values of Null mean the same in any letter case", () => {
  for (const [one, ...others] of [
    ["true", "True", "TRUE"],
    ["false", "False", "fALSE"],
  ] as const) {
    const of = (value: string) =>
      warnings("allow", { StringNotEquals: { "context.a": ["x"] }, Null: { "context.a": [value] } });
    for (const other of others) expect(of(other)).toEqual(of(one));
  }
});

describe("SourceIp", () => {
  it.each(["IpAddress", "NotIpAddressIfExists", "StringLike", "Null"])("is warned about under %s", (name) => {
    expect(told(warnings("allow", { [name]: { SourceIp: ["true"] } }), "X-Forwarded-For")).toBe(true);
  });
  it("is not, where another field is read", () => {
    expect(told(warnings("allow", { IpAddress: { "context.ip": ["::1"] } }), "X-Forwarded-For")).toBe(false);
  });
});

describe("ForAllValues in an allow", () => {
  const part = "a missing field satisfies ForAllValues";
  const all = { "ForAllValues:StringEquals": { "subject.tags": ["a"] } };
  it("is warned about, with the fields", () => {
    const found = warnings("allow", {
      ...all,
      "ForAllValues:NumericLessThanIfExists": { "context.sizes": ["1"] },
    });
    expect(told(found, part)).toBe(true);
    expect(told(found, "without subject.tags, context.sizes,")).toBe(true);
  });
  it("is not, beside a Null check of the field", () => {
    expect(told(warnings("allow", { ...all, Null: { "subject.tags": ["false"] } }), part)).toBe(false);
    expect(told(warnings("allow", { ...all, Null: { "subject.tags": ["true"] } }), part)).toBe(true);
    expect(told(warnings("allow", { ...all, Null: { "subject.others": ["false"] } }), part)).toBe(true);
  });
  it("is not in a deny", () => {
    expect(told(warnings("deny", all), part)).toBe(false);
  });
});

describe("a deny that is skipped where a field is missing", () => {
  const skipped = (effect: "allow" | "deny", condition: Condition): boolean =>
    told(warnings(effect, condition), "this deny does not apply to requests without context.x");
  it.each(["StringNotLike", "NotIpAddress"])("is warned about under %s", (name) => {
    const condition = { [name]: { "context.x": ["10.0.0.1"] } };
    expect(skipped("deny", condition)).toBe(true);
    expect(skipped("allow", condition)).toBe(false);
    expect(skipped("deny", { ...condition, Null: { "context.x": ["false"] } })).toBe(false);
    expect(skipped("deny", { [name]: { SourceIp: ["10.0.0.1"] } })).toBe(false);
  });
  it.each(["StringNotEquals", "StringNotLikeIfExists", "NotIpAddressIfExists", "StringLike"])(
    "is not under %s",
    (name) => {
      expect(skipped("deny", { [name]: { "context.x": ["10.0.0.1"] } })).toBe(false);
    },
  );
});

it("variables that stay text are warned about", () => {
  const found = warnings("allow", { StringNotLike: { "context.x": ["a", "${subject.home}/*"] } });
  expect(
    told(
      found,
      "${subject.home} is ordinary text under StringNotLike; ForAnyValue:StringNotLike replaces it",
    ),
  ).toBe(true);
  expect(told(warnings("allow", { StringLike: { "context.x": ["${nothing}"] } }), "is ordinary text")).toBe(
    false,
  );
  expect(told(warnings("allow", { StringEquals: { "context.x": ["${user}"] } }), "is ordinary text")).toBe(
    false,
  );
});

describe("an address in a field that only this service sees", () => {
  const unseen = (condition: Condition): boolean =>
    told(warnings("allow", condition), "but not by a data server");
  it.each(["IpAddress", "NotIpAddress"])("is warned about under %s", (name) => {
    const found = warnings("deny", { [name]: { "context.ip": ["10.0.0.0/8"], SourceIp: ["10.0.0.0/8"] } });
    expect(told(found, "if context.ip is not an IP address")).toBe(true);
    expect(told(found, `ForAnyValue:${name} limits the error`)).toBe(true);
  });
  it("is not in SourceIp, and not where errors concern their statement alone", () => {
    expect(unseen({ IpAddress: { SourceIp: ["10.0.0.0/8"] } })).toBe(false);
    expect(unseen({ "ForAnyValue:IpAddress": { "context.ip": ["10.0.0.0/8"] } })).toBe(false);
    expect(unseen({ StringLike: { "context.ip": ["10.*"] } })).toBe(false);
  });
});
