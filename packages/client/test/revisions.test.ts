/** Answers of the whole service name their revision, and the client asks for the highest one (spec/journal §6). */

import { AuthorizerClient } from "@svc-authorizer/client/client.ts";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let authorizer: TestAuthorizer;
beforeAll(async () => {
  authorizer = await startAuthorizer();
});
afterAll(() => authorizer.close());

const call = (url: string, method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${authorizer.token}`,
      "content-type": "application/json",
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

const revisionOf = (answer: Response): number =>
  Number(/^(\d+)\.[\w-]{8}$/.exec(answer.headers.get("x-svc-revision") ?? "")?.[1]);

describe("the revision of an answer", () => {
  it("is that of the write after a write, whatever others write meanwhile, and no lower after that", async () => {
    const { url } = authorizer;
    const names = Array.from({ length: 20 }, (_, index) => `writer-${index}`);
    const written = await Promise.all(
      names.map((username) => call(url, "POST", "/api/v1/auth/users", { username })),
    );
    const revisions = written.map(revisionOf);
    expect(written.map(({ status }) => status)).toEqual(names.map(() => 201));
    expect(new Set(revisions).size).toBe(names.length);
    const read = await call(url, "GET", "/api/v1/auth/users/writer-0");
    expect(revisionOf(read)).toBe(Math.max(...revisions));
  });

  it("is on answers of both listeners, but not on probes", async () => {
    const { url, userUrl } = authorizer;
    expect(revisionOf(await call(userUrl, "GET", "/api/v1/healthcheck"))).toBeGreaterThan(0);
    expect(revisionOf(await call(url, "GET", "/api/v1/auth/users/nobody"))).toBeGreaterThan(0);
    for (const path of ["/healthz", "/openapi.json"]) {
      expect((await call(url, "GET", path)).headers.get("x-svc-revision")).toBeNull();
    }
  });
});

describe("the client", () => {
  it("asks for the highest revision that it was given, and begins anew where the service has another log", async () => {
    const { client, url, token } = authorizer;
    await client.allows("nobody", "fs:ReadObject", "*");
    const known = client.revision!;
    const other = await startAuthorizer({ config: { "auth.api.token": token } });
    let base = url;
    const moved = new AuthorizerClient({
      url,
      token,
      fetch: (target, init) => fetch(String(target).replace(url, base), init),
    });
    expect(await moved.allows("nobody", "fs:ReadObject", "*")).toBe(false);
    expect(moved.revision).toBe(known);
    base = other.url;
    expect(await moved.allows("nobody", "fs:ReadObject", "*")).toBe(false);
    expect(moved.revision).not.toBe(known);
    await other.close();
  });
});
