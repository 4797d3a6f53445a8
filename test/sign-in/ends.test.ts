/** A stolen token or cookie is over with the session, at every listener (spec/sign-in §8): `fixtures/sign-in/ends.yaml`. */

import { readFileSync } from "node:fs";
import type { TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { hashPassword } from "../../src/identity/passwords/password-hash.ts";
import { sealSession } from "../../src/identity/session-cookies/sealed-cookie.ts";
import { EnvoyClient } from "../api/ext-authz/envoy-client.ts";
import { type OneKeyServer, startOneKeyServer } from "../exchange/one-key-server.ts";
import { ACCESS_KEYS, basicOf, PROXY_TOKEN, SECRET, startExchange } from "../exchange/start-exchange.ts";

interface Table {
  readonly listeners: readonly string[];
  readonly credentials: readonly { readonly name: string; readonly listeners: readonly string[] }[];
  readonly ends: readonly string[];
}

const FILE = new URL("../../fixtures/sign-in/ends.yaml", import.meta.url);
const { listeners, credentials, ends } = parse(readFileSync(FILE, "utf8")) as Table;

const USER = "nearly";
const PASSWORD = "a password of the stolen session";
const SECRET_KEY = "the-secret-key-of-the-service-and-data-server";
const PATH = "/api/v1/repositories";

let dataServer: OneKeyServer;
let service: TestAuthorizer;
let envoy: EnvoyClient;
let hash: string;
beforeAll(async () => {
  hash = await hashPassword(PASSWORD);
  dataServer = await startOneKeyServer(["data"]);
  service = await startExchange("nginx", {
    "auth.encrypt.secret_key": SECRET_KEY,
    // Credentials stay known for longer than a test takes: what ends one has to be told.
    "auth.cache.ttl": "10m",
    "authorizer.passwords.enabled": true,
    "authorizer.ext_authz.listen_address": "127.0.0.1:0",
    "authorizer.exchange.streaming_address": "127.0.0.1:0",
    "authorizer.exchange.upstream": `http://127.0.0.1:${dataServer.port}`,
  });
  envoy = new EnvoyClient(service.extAuthz as string);
});
afterAll(async () => {
  envoy?.close();
  await service?.close();
  await dataServer?.close();
});
beforeEach(async () => {
  await service.reset();
  const { userId } = await service.directory.sessions.get(USER);
  await service.directory.passwords.set({ username: USER, userId }, hash);
});

async function api(
  method: string,
  path: string,
  authorization: string | undefined,
  body?: unknown,
): Promise<{ readonly status: number; readonly json: Readonly<Record<string, unknown>> }> {
  const answer = await fetch(`${service.userUrl}/api/v1${path}`, {
    method,
    headers: { "content-type": "application/json", ...(authorization !== undefined && { authorization }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, json: text === "" ? {} : JSON.parse(text) };
}

async function logIn(name: string, secret: string): Promise<string> {
  const body = { access_key_id: name, secret_access_key: secret };
  return String((await api("POST", "/auth/login", undefined, body)).json["token"]);
}

type Header = readonly ["authorization" | "cookie", string];

/** A session that is stolen. */
interface Session {
  readonly token: string;
  readonly header: Header;
}

function headerOf(credential: string, token: string): Header {
  if (credential === "login token") return ["authorization", `Bearer ${token}`];
  if (credential === "login cookie") return ["cookie", `access_token=${token}`];
  const name = "internal_auth_session";
  const seal = { key: Buffer.from(SECRET_KEY), issuedAt: Math.floor(Date.now() / 1_000) };
  return ["cookie", `${name}=${sealSession(name, { key: "token", token }, seal)}`];
}

/** The status with which each listener answers. */
const ASK: Readonly<Record<string, (header: Header) => Promise<number>>> = {
  "user API": async ([name, value]) =>
    (await fetch(`${service.userUrl}/api/v1/user`, { headers: { [name]: value } })).status,
  "forward-auth": (header) => proxied(`${service.url}/forward-auth`, header),
  "Envoy over gRPC": async (header) => {
    const bearer = { authorization: `Bearer ${service.token}` };
    const asked = { path: PATH, headers: [header, [":path", PATH] as const] };
    const answer = await envoy.check(asked, { ...bearer, "x-svc-proxy-token": PROXY_TOKEN });
    return answer.denied_response?.status.code ?? 200;
  },
  streaming: (header) => proxied(service.streamingUrl as string, header),
};

async function proxied(url: string, [name, value]: Header): Promise<number> {
  const headers = {
    [name]: value,
    "x-svc-proxy-token": PROXY_TOKEN,
    "x-original-method": "GET",
    "x-original-uri": PATH,
    "x-original-host": "data.example.com",
  };
  const answer = await fetch(url.endsWith("/forward-auth") ? url : `${url}${PATH}`, { headers });
  await answer.arrayBuffer();
  return answer.status;
}

const idOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()).jti;

const admin = (method: string, path: string, body?: unknown) =>
  api(method, `/auth/users/${path}`, basicOf("administrator"), body);

const applied = (inactive: boolean) => {
  const documents = [{ format: 1, users: [{ username: USER, inactive }] }];
  return api("POST", "/auth/apply", basicOf("administrator"), { manager: "tests", documents });
};

/** The ends; each says which status its call has. */
const END: Readonly<Record<string, (session: Session) => Promise<{ readonly status: number } | undefined>>> =
  {
    "sign-out": ({ token }) => api("POST", "/auth/logout", `Bearer ${token}`),
    "password change": async () => {
      const other = await logIn(USER, PASSWORD);
      const body = { password: PASSWORD, new_password: "another password of that user" };
      return api("PUT", "/user/password", `Bearer ${other}`, body);
    },
    deactivation: async () => {
      await service.directory.users.update(USER, { inactive: true });
      return undefined;
    },
    "deactivation and activation": async () => {
      await admin("PATCH", USER, { inactive: true });
      return admin("PATCH", USER, { inactive: false });
    },
    "deactivation and activation by documents": async () => {
      await applied(true);
      return applied(false);
    },
    deletion: () => admin("DELETE", USER),
    "deletion and a new user of the name": async () => {
      await admin("DELETE", USER);
      return api("POST", "/auth/users", basicOf("administrator"), { id: USER });
    },
    "end of all sessions by an administrator": () => admin("DELETE", `${USER}/sessions`),
    "end of this session by an administrator": ({ token }) =>
      admin("DELETE", `${USER}/sessions/${idOf(token)}`),
    "deletion of the access key behind it": () =>
      admin("DELETE", `${USER}/credentials/${ACCESS_KEYS.get(USER)}`),
  };

describe.each(ends)("after the %s", (end) => {
  it.each(credentials)("a stolen $name is nobody's at any listener", async ({ name, listeners: at }) => {
    const isOfKey = end.includes("access key");
    const token = isOfKey ? await logIn(ACCESS_KEYS.get(USER) ?? "", SECRET) : await logIn(USER, PASSWORD);
    const session = { token, header: headerOf(name, token) };
    const statuses = async () =>
      Object.fromEntries(
        await Promise.all(at.map(async (listener) => [listener, await ASK[listener]?.(session.header)])),
      );
    const all = (status: number) => Object.fromEntries(at.map((listener) => [listener, status]));
    expect(await statuses()).toEqual(all(200));
    if (end.startsWith("end of this session"))
      await expect.poll(async () => String((await sessionsOf()).map(({ id }) => id))).toContain(idOf(token));
    expect([undefined, 200, 201, 204]).toContain((await END[end]?.(session))?.status);
    expect(await statuses()).toEqual(all(401));
  });
});

async function sessionsOf(): Promise<readonly { readonly id: string }[]> {
  return (await admin("GET", `${USER}/sessions`)).json["results"] as readonly { readonly id: string }[];
}

it("the table names every listener, and each end that is tried", () => {
  expect(listeners).toEqual(Object.keys(ASK));
  expect(ends).toEqual(Object.keys(END));
  for (const { listeners: at } of credentials) for (const one of at) expect(listeners).toContain(one);
});
