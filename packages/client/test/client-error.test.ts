/** Tests the error that the client throws when the service refuses a call. */

import { AuthorizerClient, ClientError } from "@svc-authorizer/client/client.ts";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

let authorizer: TestAuthorizer;
beforeAll(async () => {
  authorizer = await startAuthorizer();
});
afterAll(() => authorizer.close());

const refused = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

it("is a ClientError, which callers import from the client, with status and problems", async () => {
  const error = await refused(authorizer.client.check({ user: "alice", required: {} as never }));
  expect(error).toBeInstanceOf(ClientError);
  expect(error).toMatchObject({ name: "ClientError", status: 400 });
  expect((error as ClientError).problems.length).toBeGreaterThan(0);
  expect((error as ClientError).problems[0]?.pointer).toMatch(/^\/required/);
});

it("is a ClientError for a wrong token too", async () => {
  const client = new AuthorizerClient({ url: authorizer.url, token: "x".repeat(40) });
  const error = await refused(client.allows("alice", "fs:ReadObject", "*"));
  expect(error).toBeInstanceOf(ClientError);
  expect(error).toMatchObject({ status: 401 });
});
