/** A first try whose answer was lost on its way, behind a proxy that cuts it off: what it may have done is said. */

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { svcctl } from "./run-svcctl.ts";

const KEY = ["AKIAJADMINEXAMPLEADQ", "admin-secret-only-for-this-test-0123456789"] as const;

let authorizer: TestAuthorizer;
beforeAll(async () => {
  const credentials = [{ access_key_id: KEY[0], secret_access_key: KEY[1] }];
  authorizer = await startAuthorizer({
    dataset: {
      format: 1,
      preconfigured: true,
      users: [{ username: "admin", groups: ["Admins"], credentials }, { username: "bob" }],
    },
  });
});
afterAll(() => authorizer.close());

/** Passes requests on; the answers to the first ones with this method are lost. */
async function openProxy(method: string, lost: number): Promise<string> {
  let left = lost;
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const answer = await fetch(authorizer.userUrl + request.url, {
      method: request.method ?? "GET",
      headers: { authorization: request.headers.authorization ?? "", "content-type": "application/json" },
      ...(body.length > 0 && { body }),
    });
    const content = await answer.text();
    if (request.method === method && left-- > 0) return void request.socket.destroy();
    response.writeHead(answer.status, { "content-type": "application/json" }).end(content);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function create(lost: number) {
  const env = {
    SVCCTL_SERVER_ENDPOINT_URL: await openProxy("POST", lost),
    SVCCTL_CREDENTIALS_ACCESS_KEY_ID: KEY[0],
    SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: KEY[1],
    SVCCTL_SERVER_RETRIES_MIN_WAIT_INTERVAL: "1ms",
  };
  const before = await keys();
  const done = await svcctl(["auth", "users", "credentials", "create", "--id", "bob"], { env });
  return { ...done, made: (await keys()).length - before.length };
}

async function keys(): Promise<readonly unknown[]> {
  const { users } = await authorizer.directory.batches.state({ secrets: false });
  return [...(users.get("bob")?.credentials.keys() ?? [])];
}

it("a key that an earlier try may have made is named", async () => {
  const { code, stdout, stderr, made } = await create(1);
  expect([code, made]).toEqual([0, 2]);
  expect(stdout).toContain("Credentials created successfully.");
  expect(stderr).toContain("warning: an earlier try got no answer, and may have created a key of its own");
});

it("so are those that were made though none was answered", async () => {
  const { code, stderr, made } = await create(5);
  expect([code, made]).toEqual([1, 5]);
  expect(stderr).toContain("giving up after 5 attempt(s)");
  expect(stderr).toContain("warning: an earlier try got no answer");
});

it("none is where no server was reached", async () => {
  const env = {
    SVCCTL_SERVER_ENDPOINT_URL: "http://127.0.0.1:1",
    SVCCTL_CREDENTIALS_ACCESS_KEY_ID: KEY[0],
    SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: KEY[1],
    SVCCTL_SERVER_RETRIES_MIN_WAIT_INTERVAL: "1ms",
  };
  const { code, stderr } = await svcctl(["auth", "users", "credentials", "create", "--id", "bob"], { env });
  expect([code, stderr]).toEqual([1, expect.not.stringContaining("warning")]);
});

it("and none where the first try was answered", async () => {
  expect(await create(0)).toMatchObject({ code: 0, made: 1, stderr: "" });
});
