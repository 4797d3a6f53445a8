import type { TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBehindProxy } from "../../gateways/start-behind-proxy.ts";
import { ask, basic, type Headers, METHODS, READ, told } from "./ask.ts";

const ORIGIN = ["Origin", "https://app.example.com"] as const;
const ASKED = ["Access-Control-Request-Method", "PUT"] as const;
const PREFLIGHT: Headers = [...told(READ, "OPTIONS"), ORIGIN, ASKED];

describe("authorizer.forward_auth.preflight", () => {
  let deny: TestAuthorizer;
  let allow: TestAuthorizer;
  beforeAll(async () => {
    deny = await startBehindProxy("nginx");
    allow = await startBehindProxy("nginx", { "authorizer.forward_auth.preflight": "allow" });
  });
  afterAll(async () => {
    await deny?.close();
    await allow?.close();
  });
  const statusOf = async (headers: Headers, authorizer = allow) =>
    (await ask(authorizer.url, "/forward-auth", headers)).status;

  it("denies preflights by default", async () => {
    expect(await statusOf(PREFLIGHT, deny)).toBe(401);
  });

  it("lets a preflight pass as nobody, without a decision", async () => {
    const { status, headers } = await ask(allow.url, "/forward-auth", PREFLIGHT);
    expect([status, headers["x-svc-user"], headers["x-svc-decision-id"]]).toEqual([200, "-", undefined]);
    const signed = told(`/data/main/a?X-Amz-Signature=abc`, "OPTIONS");
    expect(await statusOf([...signed, ORIGIN, ASKED])).toBe(200);
    expect(await statusOf([...told(READ, "OPTIONS"), ["Origin", "null"], ASKED])).toBe(200);
  });

  it.each(METHODS.filter((method) => method !== "OPTIONS"))(
    "opens nothing else: %s with the headers of one",
    async (method) => {
      expect(await statusOf([...told(READ, method), ORIGIN, ASKED])).toBe(401);
    },
  );

  it.each<[string, Headers]>([
    ["no origin", [...told(READ, "OPTIONS"), ASKED]],
    ["two origins", [...PREFLIGHT, ["Origin", "https://other.example.com"]]],
    ["no method that is asked for", [...told(READ, "OPTIONS"), ORIGIN]],
    ["two methods", [...PREFLIGHT, ["Access-Control-Request-Method", "GET"]]],
    ["a method that is none", [...told(READ, "OPTIONS"), ORIGIN, ["Access-Control-Request-Method", "a b"]]],
    ["an origin that is none", [...told(READ, "OPTIONS"), ["Origin", "here"], ASKED]],
    ["a cookie", [...PREFLIGHT, ["Cookie", "access_token=abc"]]],
    ["a wrong key", [...PREFLIGHT, basic("writer", "wrong")]],
    ["a body", [...PREFLIGHT, ["X-Original-Content-Length", "2"]]],
  ])("opens nothing else: %s", async (_what, headers) => {
    expect([401, 403]).toContain(await statusOf(headers));
  });

  it("a right key makes it a request of its user, which no endpoint knows", async () => {
    expect(await statusOf([...PREFLIGHT, basic("writer")])).toBe(403);
  });

  it("needs a proxy that is trusted, and its token", async () => {
    expect(await statusOf(PREFLIGHT.filter(([name]) => name !== "X-Svc-Proxy-Token"))).toBe(403);
  });
});
