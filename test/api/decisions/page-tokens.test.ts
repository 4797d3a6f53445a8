import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PageTokens, requestText } from "../../../src/api/decisions/search/page-tokens.ts";

const key = randomBytes(32);
const request = requestText("search/subject", { a: 1 }, "caller");

describe("page tokens", () => {
  it("give back what they were made of, whatever the name", () => {
    const tokens = new PageTokens([key]);
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), fc.integer({ min: 1 }), (text, limit) => {
        const state = { limit, after: text.toWellFormed() };
        expect(tokens.open(tokens.seal(state, request), request)).toEqual(state);
      }),
      { numRuns: 200 },
    );
  });

  it("show nothing of a name and are never the same twice", () => {
    const tokens = new PageTokens([key]);
    const made = [1, 2].map(() => tokens.seal({ limit: 10, after: "alice@example.org" }, request));
    expect(made[0]).not.toBe(made[1]);
    for (const token of made)
      expect(Buffer.from(token, "base64url").toString("latin1")).not.toContain("alice");
  });

  it("hold in another process with the same key, and after a change of keys", () => {
    const token = new PageTokens([key]).seal({ limit: 10, after: "a" }, request);
    expect(new PageTokens([Buffer.from(key)]).open(token, request)).toEqual({ limit: 10, after: "a" });
    expect(new PageTokens([randomBytes(32), key]).open(token, request)).toEqual({ limit: 10, after: "a" });
    expect(new PageTokens([randomBytes(32)]).open(token, request)).toBeUndefined();
    expect(new PageTokens().open(token, request)).toBeUndefined();
  });

  it("belong to one request, however its members are ordered", () => {
    const tokens = new PageTokens([key]);
    const asked = { subject: { type: "user", id: "a" }, context: { list: [1, { b: 2, a: 1 }] } };
    const token = tokens.seal({ limit: 10, after: "a" }, requestText("search/action", asked, "caller"));
    const same = { context: { list: [1, { a: 1, b: 2 }] }, subject: { id: "a", type: "user" } };
    expect(tokens.open(token, requestText("search/action", same, "caller"))).toBeDefined();
    const others = [
      requestText("search/resource", asked, "caller"),
      requestText("search/action", asked, "another"),
      requestText("search/action", { ...asked, context: { list: [{ a: 1, b: 2 }, 1] } }, "caller"),
      requestText("search/action", { ...asked, subject: { type: "user", id: "b" } }, "caller"),
      requestText("search/action", { ...asked, context: { list: ["1", { a: 1, b: 2 }] } }, "caller"),
    ];
    for (const other of others) expect(tokens.open(token, other)).toBeUndefined();
  });

  it("are refused when a bit of them is another", () => {
    const tokens = new PageTokens([key]);
    const token = tokens.seal({ limit: 10, after: "a" }, request);
    const bytes = Buffer.from(token, "base64url");
    for (let index = 0; index < bytes.length; index++) {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] as number) ^ 1;
      expect(tokens.open(changed.toString("base64url"), request)).toBeUndefined();
    }
    for (const other of ["", "a", token.slice(0, -4), `${token}=`, ` ${token}`, "x".repeat(100_000)])
      expect(tokens.open(other, request)).toBeUndefined();
  });
});
