import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSecretName, loggable, REDACTED } from "../../src/observe/log/redact.ts";
import { sized } from "../proofs/size.ts";

describe("secret names", () => {
  it.each([
    "token",
    "secret",
    "secret_access_key",
    "secretAccessKey",
    "password",
    "Authorization",
    "cookie",
    "Set-Cookie",
    "connection_string",
    "auth.encrypt.secret_key",
    "encryptedPassword",
    "access_token",
    "X-Svc-Proxy-Token",
    "token_sha256",
    "proxy-authorization",
    "previous_secret_key",
    "X-Amz-Signature",
    "tokens",
  ])("%s", (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  it.each(["access_key_id", "user", "token_file", "tokenId", "secretary", "path", "keys", "authorizer"])(
    "not %s",
    (name) => {
      expect(isSecretName(name)).toBe(false);
    },
  );
});

describe("fields to be logged", () => {
  it("a secret is replaced at any depth and below lists, maps and errors", () => {
    const secret = "s3cr3t-value";
    const place = fc.letrec<{ node: unknown }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 12, depthSize: "medium" },
        fc.record({ secret_access_key: fc.constant(secret) }),
        fc.record({ Authorization: fc.constant([secret]) }),
        fc.record({ down: tie("node") }),
        fc.tuple(tie("node")),
        tie("node").map((inner) => new Map([["in", inner]])),
        tie("node").map((inner) => new Set([inner])),
        tie("node").map((inner) => Object.assign(new Error("x", { cause: inner }), { config: { secret } })),
      ),
    })).node;
    fc.assert(
      fc.property(place, (value) => {
        expect(JSON.stringify(loggable({ value }))).not.toContain(secret);
      }),
      { numRuns: sized(100, 1_000) },
    );
    expect(loggable({ a: [{ b: { password: "x" } }], token: "y", admin_password: false })).toEqual({
      a: [{ b: { password: REDACTED } }],
      token: REDACTED,
      admin_password: false,
    });
  });

  it("errors have message, stack, code, problems and cause, and none of their other members", () => {
    const cause = Object.assign(new TypeError("inner"), { request: { body: "private" } });
    const problems = [{ pointer: "/a", message: "bad" }];
    const { error } = loggable({ error: new AuthorizerError("internal", "outer", { cause, problems }) });
    expect(error).toMatchObject({
      name: "AuthorizerError",
      message: "outer",
      code: "internal",
      problems,
      cause: { name: "TypeError", message: "inner" },
    });
    expect((error as { stack: string }).stack).toContain("redact.test.ts");
    expect(JSON.stringify(error)).not.toContain("private");
  });

  it("any value becomes JSON without throwing", () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withTypedArray: true,
      withNullPrototype: true,
      withObjectString: true,
      withSparseArray: true,
      withBoxedValues: true,
    });
    fc.assert(
      fc.property(anything, (value) => {
        expect(() => JSON.parse(JSON.stringify(loggable({ value })))).not.toThrow();
      }),
      { numRuns: sized(100, 1_000) },
    );
  });

  it("cycles, throwing getters and endless depth end", () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    let deep: object = {};
    for (let level = 0; level < 10_000; level++) deep = { deep };
    const throwing = {
      get bad(): never {
        throw new Error("no");
      },
      good: 1,
    };
    expect(loggable({ circle, throwing })).toEqual({
      circle: { self: "[circular]" },
      throwing: { bad: "[unreadable]", good: 1 },
    });
    expect(JSON.stringify(loggable({ deep }))).toContain("[too deep]");
  });

  it("names that an entry itself has are kept apart", () => {
    const fields = JSON.parse('{"time":1,"level":2,"message":3,"__proto__":4,"constructor":5}');
    expect(loggable(fields)).toEqual({
      "fields.time": 1,
      "fields.level": 2,
      "fields.message": 3,
      "fields.__proto__": 4,
      "fields.constructor": 5,
    });
  });

  it("long texts are cut where a limit is given", () => {
    expect(loggable({ text: "x".repeat(100) }, 10)).toEqual({ text: `${"x".repeat(10)}… (90 more)` });
  });
});
