import {
  accessKeyProblem,
  emailProblem,
  externalIdProblem,
  groupNameProblem,
  isPossibleName,
  MAX_NAME_BYTES,
  policyNameProblem,
  principalProblem,
  resourceIdProblem,
  resourceTypeNameProblem,
  secretAccessKeyProblem,
  tokenIdProblem,
  userNameProblem,
} from "@svc-authorizer/policy/model/names.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

const rules: Readonly<Record<string, (text: string) => string | undefined>> = {
  user: (text) => userNameProblem(text, "lenient"),
  group: (text) => groupNameProblem(text, "lenient"),
  policy: (text) => policyNameProblem(text, "lenient"),
  "access key": accessKeyProblem,
  secret: secretAccessKeyProblem,
  "external id": externalIdProblem,
  "e-mail": emailProblem,
  principal: principalProblem,
  "token id": tokenIdProblem,
  "resource type": resourceTypeNameProblem,
  "resource id": resourceIdProblem,
  "look-up": (text) => (isPossibleName(text) ? undefined : "impossible"),
};

const impossible = [
  "",
  ".",
  "..",
  "a\u0000",
  "\n",
  "a\u007f",
  "\u0085x",
  "\ud800",
  "a\udfff",
  "\udc00\ud800",
];
const possible = [
  "a",
  "...",
  ". ",
  " ",
  "日本",
  "👩‍👩‍👧",
  "e\u0301",
  "\u00a0",
  "\u200b",
  "\ufffd",
  "a+b@x.org",
  "x|y:z",
];

describe.each(Object.entries(rules))("the rule of a %s", (_, rule) => {
  it.each(impossible)("refuses %j", (text) => expect(rule(text)).toBeTypeOf("string"));
  it.each(possible)("accepts %j", (text) => expect(rule(text)).toBeUndefined());

  it("measures UTF-8 bytes, not characters", () => {
    expect(rule("x".repeat(MAX_NAME_BYTES))).toBeUndefined();
    expect(rule("x".repeat(MAX_NAME_BYTES + 1))).toBeTypeOf("string");
    expect(rule("é".repeat(MAX_NAME_BYTES / 2))).toBeUndefined();
    expect(rule(`${"é".repeat(MAX_NAME_BYTES / 2)}x`)).toBeTypeOf("string");
    expect(rule("😀".repeat(MAX_NAME_BYTES / 4))).toBeUndefined();
    expect(rule("x".repeat(5_000_000))).toBeTypeOf("string");
  });

  it("agrees with its own definition on any text", () => {
    const unit = fc.constantFrom(".", "/", "a", "é", "\u0000", "\u009f", "\ud83d", "\ude00", "日", " ", "~");
    fc.assert(
      fc.property(fc.oneof(fc.array(unit, { maxLength: 6 }), fc.constant(["arn"])), (units) => {
        const text = units.join("");
        const reserved = rule === resourceTypeNameProblem && text === "arn";
        const slash = rule === rules["policy"] && text.includes("/");
        const bytes = Buffer.from(text);
        const fits = bytes.length > 0 && bytes.toString() === text && text !== "." && text !== "..";
        const control = [...bytes.toString()].some((it) => it < " " || (it >= "\u007f" && it <= "\u009f"));
        expect(rule(text) === undefined).toBe(fits && !control && !reserved && !slash);
      }),
    );
  });
});

describe("guards", () => {
  it.each([
    ["user", userNameProblem, "*?%", ""],
    ["group", groupNameProblem, "*?%", ""],
    ["policy", policyNameProblem, "%", "/"],
  ] as const)("strict refuse in the name of a %s what lenient waive", (_, problem, waived, never) => {
    for (const character of waived) {
      expect(problem(`a${character}b`, "strict")).toContain(`"${character}"`);
      expect(problem(`a${character}b`, "lenient")).toBeUndefined();
    }
    for (const character of never) {
      expect(problem(`a${character}b`, "strict")).toContain(`"${character}"`);
      expect(problem(`a${character}b`, "lenient")).toContain(`"${character}"`);
    }
  });

  it("let / into names of users and groups, * and ? into names of policies", () => {
    expect(userNameProblem("auth0|a/b", "strict")).toBeUndefined();
    expect(groupNameProblem("a/b", "strict")).toBeUndefined();
    expect(policyNameProblem("ACL(_-_)Admins*?", "strict")).toBeUndefined();
  });
});

it("keeps `arn` for ids that are ARNs", () => {
  expect(resourceTypeNameProblem("arn")).toContain("arn");
});
