/** External principals that another authentication API tells (spec/sign-in §3). */

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { startAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { closedAfterAll } from "../../closed-after-all.ts";
import { type CallOptions, call } from "../../http/call.ts";

const PRINCIPAL = "cloud/role/loader";

/** A server that answers as a test says. */
async function startOther() {
  const asked: { readonly url: string | undefined; readonly text: string; readonly mark: unknown }[] = [];
  const state = { status: 200, body: "{}" };
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const piece of request) text += piece;
    asked.push({ url: request.url, text, mark: request.headers["x-svc-remote-authenticator"] });
    response.writeHead(state.status, { location: "/elsewhere" }).end(state.body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`;
  return { url, asked, state, close: async () => void server.close() };
}

const other = await closedAfterAll(startOther());
const authorizer = await closedAfterAll(
  startAuthorizer({
    dataset: { format: 1, users: [{ username: "loader" }] } as never,
    config: {
      "auth.authentication_api.endpoint": other.url,
      "auth.authentication_api.external_principals_enabled": true,
      "authorizer.authentication_api.enabled": true,
      "authorizer.authentication_api.trusted_servers": ["127.0.0.1"],
    } as never,
  }),
);
beforeEach(async () => {
  Object.assign(other.state, { status: 200, body: JSON.stringify({ id: PRINCIPAL }) });
  other.asked.length = 0;
  await authorizer.directory.externalPrincipals.create("loader", PRINCIPAL);
});
afterEach(() => authorizer.reset());

async function post(url: string, target: string, sent: CallOptions) {
  const { status, body: json } = await call(url, "POST", target, sent);
  return { status, json };
}
const logIn = (identityRequest: unknown) =>
  post(authorizer.userUrl, "/api/v1/auth/external/principal/login", { body: { identityRequest } });
const forwarded = (body: unknown, headers = {}) =>
  post(authorizer.url, "/authentication/v1/auth/external/principal/login", { body, headers });

describe("an identity that this service cannot verify itself", () => {
  it("is asked for at the other server, as a data server asks, and signs its user in", async () => {
    const { status, json } = await logIn({ zone: "z", account: "a" });
    expect(status).toBe(200);
    const headers = { authorization: `Bearer ${json["token"]}` };
    const user = await call(authorizer.userUrl, "GET", "/api/v1/user", { headers });
    expect(user.body).toMatchObject({ user: { id: "loader" } });
    expect(other.asked).toEqual([
      { url: "/api/auth/external/principal/login", text: '{"account":"a","zone":"z"}', mark: "1" },
    ]);
  });

  it("is asked for where a data server forwards it, but not for a service of this kind", async () => {
    expect(await forwarded({ account: "a" })).toEqual({ status: 200, json: { id: PRINCIPAL } });
    expect((await forwarded({ account: "a" }, { "x-svc-remote-authenticator": "1" })).status).toBe(403);
    expect(other.asked).toHaveLength(1);
  });

  it.each([
    [400, "{}", 400],
    [401, "{}", 403],
    [403, "{}", 403],
    [302, "{}", 403],
    [200, '{"id":1}', 403],
    [200, "no JSON", 503],
    [500, "{}", 503],
  ])("signs nobody in after %i %s", async (status, body, wanted) => {
    Object.assign(other.state, { status, body });
    expect((await logIn({ account: "a" })).status).toBe(wanted);
  });

  it("is nobody where no user has the principal", async () => {
    other.state.body = JSON.stringify({ id: "cloud/role/other" });
    expect((await logIn({ account: "a" })).status).toBe(404);
  });
});
