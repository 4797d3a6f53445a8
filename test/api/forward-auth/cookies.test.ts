import type { TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { describe, expect, it } from "vitest";
import { closedAfterAll } from "../../closed-after-all.ts";
import { startBehindProxy } from "../../gateways/start-behind-proxy.ts";
import { ask, type Headers, login, READ, told } from "./ask.ts";

const authorizer = await closedAfterAll(startBehindProxy("nginx"));

const OURS = "https://data.example.com";

async function statusOf(at: TestAuthorizer, request: Headers, ...more: Headers): Promise<number> {
  const cookie = ["Cookie", `access_token=${await login(at, "writer")}`] as const;
  return (await ask(at.url, "/forward-auth", [...request, cookie, ...more])).status;
}

describe("a login cookie in forward-auth (spec/security §6.1)", () => {
  const write = told(`${READ}/b`, "DELETE");

  it("writes only from the origin of authorizer.public_url, and from nowhere without one", async () => {
    const own = await startBehindProxy("nginx", { "authorizer.public_url": `${OURS}/authorizer` });
    try {
      expect(await statusOf(own, write, ["Origin", OURS])).toBe(200);
      expect(await statusOf(authorizer, write, ["Origin", OURS])).toBe(403);
      for (const origin of ["null", `${OURS}:8443`, "http://data.example.com", `${OURS}/authorizer`, ""]) {
        expect(await statusOf(own, write, ["Origin", origin]), origin).toBe(403);
      }
      expect(await statusOf(own, write, ["Origin", OURS], ["Origin", OURS])).toBe(403);
    } finally {
      await own.close();
    }
  });

  it("writes where the browser says that the page is of the same origin, and not of the same site", async () => {
    expect(await statusOf(authorizer, write, ["Sec-Fetch-Site", "same-origin"])).toBe(200);
    for (const site of ["same-site", "none", "cross-site", "Same-Origin"]) {
      expect(await statusOf(authorizer, write, ["Sec-Fetch-Site", site]), site).toBe(403);
    }
  });

  it("reads from anywhere, by HEAD too", async () => {
    const head = told("/api/v1/repositories/data/refs/main/objects?path=a", "HEAD");
    expect(await statusOf(authorizer, told())).toBe(200);
    expect(await statusOf(authorizer, head, ["Sec-Fetch-Site", "cross-site"])).toBe(200);
  });
});
