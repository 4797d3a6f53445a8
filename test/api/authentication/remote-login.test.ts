/** The remote authenticator, as its server and as its client (spec/sign-in §4). */

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { startAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hashPassword } from "../../../src/identity/passwords/password-hash.ts";
import { closedAfterAll } from "../../closed-after-all.ts";
import { call } from "../../http/call.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const PASSWORD = "a long password of alice";
const KEY = {
  access_key_id: "AKIAJ23456789ABCDEFQ",
  secret_access_key: "the-secret-of-the-key-of-one-test-0123456",
};

interface Asked {
  readonly headers: IncomingMessage["headers"];
  readonly body: Record<string, unknown>;
}

/** A remote server that knows `rita` and answers as a test says. */
async function startRemote() {
  const asked: Asked[] = [];
  const state = { status: 200, body: "{}", hangs: false };
  const server = createServer(async (request, response) => {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const body = JSON.parse(Buffer.concat(pieces).toString()) as Asked["body"];
    asked.push({ headers: request.headers, body });
    if (state.hangs) return;
    const isRight = body["password"] === "a long password of rita";
    response
      .writeHead(isRight ? state.status : 401, { location: "/elsewhere" })
      .end(isRight ? state.body : "");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/auth?x=1`;
  const close = async () => {
    server.closeAllConnections();
    server.close();
  };
  return { url, asked, state, close };
}

const folder = temporaryFolder();
const log = join(folder, "audit.jsonl");
const remote = await closedAfterAll(startRemote());
const authorizer = await closedAfterAll(
  startAuthorizer({
    dataset: {
      format: 1,
      preconfigured: true,
      users: [{ username: "alice", groups: ["Viewers"], credentials: [KEY] }, { username: "taken" }],
    } as never,
    config: {
      "authorizer.audit.output": log,
      "authorizer.passwords.enabled": true,
      "authorizer.authentication_api.enabled": true,
      "authorizer.authentication_api.trusted_servers": ["127.0.0.1"],
      "auth.remote_authenticator.enabled": true,
      "auth.remote_authenticator.endpoint": remote.url,
      "auth.remote_authenticator.request_timeout": "3s",
    } as never,
  }),
);
const { directory } = authorizer;
const hash = await hashPassword(PASSWORD);
beforeEach(async () => {
  Object.assign(remote.state, { status: 200, body: "{}", hangs: false });
  remote.asked.length = 0;
  const { userId } = await directory.sessions.get("alice");
  await directory.passwords.set({ username: "alice", userId }, hash);
});
afterEach(() => authorizer.reset());

async function post(url: string, target: string, body: unknown, headers: Record<string, string> = {}) {
  const { status, text, body: json } = await call(url, "POST", target, { body, headers });
  return { status, text, json };
}

/** As a data server asks. */
const forwarded = (username: string, password: string, headers = {}) =>
  post(authorizer.url, "/authentication/v1/remote", { username, password }, headers);
/** As a person at this service. */
const typed = (name: string, secret: string) =>
  post(authorizer.userUrl, "/api/v1/auth/login", { access_key_id: name, secret_access_key: secret });

const groupsOf = async (username: string) =>
  (await directory.users.groups(username, { amount: 10 })).results.map(({ name }) => name);

describe("as the server of a data server", () => {
  it("knows the passwords of the directory, and names the user", async () => {
    const { status, json } = await forwarded("alice", PASSWORD);
    expect({ status, json }).toEqual({ status: 200, json: { external_user_identifier: "alice" } });
  });

  it.each([
    ["a data server asks", forwarded],
    ["a person signs in", typed],
  ])("is audited where nobody knows whether it made the user, as %s", async (_, ask) => {
    remote.state.body = JSON.stringify({ external_user_identifier: "una" });
    const { provisioning } = directory;
    directory.provisioning = (isProtected) => {
      directory.provisioning = provisioning;
      const signIn = async () => {
        throw new AuthorizerError("outcome_unknown", "nobody knows");
      };
      return { ...provisioning(isProtected), signIn };
    };
    const before = readFileSync(log, "utf8").length;
    expect((await ask("una", "a long password of rita")).status).toBe(503);
    await expect
      .poll(() => readFileSync(log, "utf8").slice(before))
      .toMatch(/"event":"login".*"issuer":"remote","user":"una","outcome":"unknown"/);
  });

  it("asks the remote server, and has the user made before it answers", async () => {
    remote.state.body = JSON.stringify({ external_user_identifier: "rita" });
    const { status, json } = await forwarded("RITA", "a long password of rita");
    expect({ status, json }).toEqual({ status: 200, json: { external_user_identifier: "rita" } });
    expect(await directory.users.get("rita")).toMatchObject({ external_id: "remote:rita" });
    expect(await groupsOf("rita")).toEqual(["Viewers"]);
  });

  it("answers the same to every wrong name, password and key, keeps none of them, and locks nobody out", async () => {
    const texts = new Set<string>();
    for (const [name, secret] of [
      ["alice", "wrong"],
      ["nobody", "wrong"],
      [KEY.access_key_id, "a-guessed-secret"],
      ["AKIAJ99999999999999Q", "a-secret-of-elsewhere"],
    ] as const) {
      const { status, text } = await forwarded(name, secret);
      expect(status).toBe(401);
      texts.add(text);
    }
    expect(texts.size).toBe(1);
    for (let round = 0; round < 30; round++) await forwarded("alice", "wrong");
    expect((await forwarded("alice", PASSWORD)).status).toBe(200);
    const audited = readFileSync(log, "utf8");
    for (const text of ["a-guessed-secret", "a-secret-of-elsewhere", "AKIAJ99999999999999Q", "nobody"])
      expect(audited).not.toContain(text);
  });

  it("answers many wrong access keys at once, which wait for no password to be hashed", async () => {
    const asked = Array.from({ length: 48 }, (_, index) =>
      forwarded(`AKIAJ999999999999${String(index).padStart(2, "0")}Q`, "a-secret-of-elsewhere"),
    );
    expect(new Set((await Promise.all(asked)).map(({ status }) => status))).toEqual(new Set([401]));
  });

  it("refuses a name of the remote server that an unlinked user has", async () => {
    remote.state.body = JSON.stringify({ external_user_identifier: "taken" });
    expect((await forwarded("rita", "a long password of rita")).status).toBe(401);
  });

  it("makes no user while the group for new ones does not exist, and says so to the person", async () => {
    await typed("rita", "a long password of rita");
    await directory.groups.delete("Viewers");
    remote.state.body = JSON.stringify({ external_user_identifier: "rosa" });
    const { status, json } = await typed("rosa", "a long password of rita");
    expect({ status, json }).toMatchObject({
      status: 401,
      json: { message: expect.stringContaining("default_user_group") },
    });
    await expect(directory.users.get("rosa")).rejects.toMatchObject({ code: "not_found" });
    remote.state.body = JSON.stringify({ external_user_identifier: "rita" });
    expect((await typed("rita", "a long password of rita")).status).toBe(200);
  });

  it("refuses an inactive user", async () => {
    await directory.users.update("alice", { inactive: true });
    expect((await forwarded("alice", PASSWORD)).status).toBe(401);
  });

  it("refuses a call of its own kind: no service asks itself", async () => {
    await typed("rita", "a long password of rita");
    const mark = Object.keys(remote.asked[0]?.headers ?? {}).find((name) => name.startsWith("x-svc-")) ?? "";
    expect((await forwarded("alice", PASSWORD, { [mark]: "1" })).status).toBe(403);
  });
});

describe("as a client of a remote server", () => {
  it("asks it where the directory refuses, at the very address, and signs the person in", async () => {
    const { status, json } = await typed("rita", "a long password of rita");
    expect(status).toBe(200);
    const headers = { authorization: `Bearer ${json["token"]}` };
    const user = await call(authorizer.userUrl, "GET", "/api/v1/user", { headers });
    expect(user.body).toMatchObject({ user: { id: "rita" } });
    expect(remote.asked.map(({ body }) => body)).toEqual([
      { username: "rita", password: "a long password of rita" },
    ]);
    expect((await typed("alice", PASSWORD)).status).toBe(200);
    expect(remote.asked).toHaveLength(1);
  });

  it("never sends an access key of this service, nor what looks like one", async () => {
    for (const name of [KEY.access_key_id, "AKIAJ99999999999999Q", "asiaj99999999999999q"])
      expect((await typed(name, "a-guessed-secret")).status).toBe(401);
    const headers = {
      authorization: `Basic ${Buffer.from("rita:a long password of rita").toString("base64")}`,
    };
    expect((await call(authorizer.userUrl, "GET", "/api/v1/user", { headers })).status).toBe(401);
    expect(remote.asked).toEqual([]);
  });

  it("never sends an access key that nobody may use at present, whatever its form", async () => {
    await directory.users.create({ username: "left" });
    const secret_access_key = "the-secret-of-the-key-of-another-test-012";
    await directory.credentials.create("left", { access_key_id: "left-key", secret_access_key });
    await directory.users.update("left", { inactive: true });
    expect((await typed("left-key", secret_access_key)).status).toBe(401);
    expect(remote.asked).toEqual([]);
  });

  it.each([
    ["an answer that is no JSON", { body: "ok" }, 503],
    ["a list", { body: "[]" }, 503],
    ["a name that is none", { body: '{"external_user_identifier":1}' }, 503],
    ["a redirection", { status: 302 }, 401],
    ["a server that fails", { status: 500 }, 503],
    ["a server that is silent", { hangs: true }, 503],
  ])("signs nobody in after %s", async (_, state, status) => {
    Object.assign(remote.state, state);
    expect((await typed("rita", "a long password of rita")).status).toBe(status);
    expect((await typed(KEY.access_key_id, KEY.secret_access_key)).status).toBe(200);
  });
});
