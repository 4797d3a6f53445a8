/** A call that runs again, as the state has moved while it was proved (spec/journal §2.8), does nothing twice. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DataParts, openData, openLog } from "../../src/compose/data.ts";
import { type RunningService, startService } from "../../src/compose/service.ts";
import { type ConfigObject, configFromObject } from "../../src/config/load.ts";
import { hashPassword } from "../../src/identity/passwords/password-hash.ts";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import type { JournalStore } from "../../src/journal/journal-store.ts";
import { lookOneByOne } from "../../src/journal/look.ts";
import { newKey, TestIssuer } from "../identity/oidc/issuer.ts";
import { openNode, sharedBy } from "../journal/bed.ts";
import { type MailServer, startServer, stopServers } from "../mail/mail-server.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const PASSWORD = "a long enough password of alice";
const DEVICE = "urn:ietf:params:oauth:grant-type:device_code";
const EXCHANGE = {
  grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
  subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
};

interface Node {
  readonly user: string;
  readonly service: RunningService;
  readonly journal: JournalStore;
  readonly data: DataParts;
  /** Milliseconds before each look into the log. */
  lookMs: number;
  /** True: the log cannot be looked at. */
  isCut: boolean;
  /** The events of the audit log. */
  audited(): readonly Record<string, unknown>[];
}

const log = new MemoryEngine();

/** A node that hears of nothing by itself. */
async function startNode(config: ConfigObject): Promise<Node> {
  const audit = join(temporaryFolder(), "audit.jsonl");
  const { values } = configFromObject(
    {
      "database.type": "mem",
      listen_address: "127.0.0.1:0",
      "authorizer.listen_address": "127.0.0.1:0",
      "authorizer.metrics_address": "127.0.0.1:0",
      "auth.encrypt.secret_key": "a-secret-key-that-only-this-test-knows-0123456789",
      "auth.api.token": "a-token-that-only-this-test-knows-0123456789",
      "authorizer.audit.output": audit,
      "authorizer.authentication_api.enabled": true,
      "authorizer.authentication_api.trusted_servers": ["127.0.0.1"],
      "logging.level": "NONE",
      "ui.enabled": false,
      ...config,
    },
    {},
  );
  const node = { lookMs: 0, isCut: false };
  const shared = sharedBy(log);
  const look = async (revision: number) => {
    await setTimeout(node.lookMs);
    if (node.isCut) throw new Error("the connection was cut");
    return lookOneByOne(shared, revision);
  };
  const quiet = { ...shared, look, watch: () => () => {} };
  const journal = await openNode(quiet, { pollMs: 600_000, maxStalenessMs: 600_000 });
  const open = async () => ({ store: journal, memory: undefined, journal });
  const data = await openData(values, openLog(values), { open });
  const service = await startService(data, { version: "1.2.3-test", env: () => undefined });
  const audited = () =>
    readFileSync(audit, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return Object.assign(node, { user: service.addresses.user, service, journal, data, audited });
}

describe("on a node that is behind", () => {
  let other: Node;
  let node: Node;
  let mails: MailServer;
  let issuer: TestIssuer;
  let count = 0;

  beforeAll(async () => {
    mails = await startServer();
    issuer = await TestIssuer.start(await newKey("one"));
    const config = {
      "authorizer.passwords.enabled": true,
      "email.smtp_host": "127.0.0.1",
      "email.smtp_port": mails.port,
      "email.sender": "data@example.com",
      "authorizer.oidc.issuers": [
        { name: "cluster", issuer: issuer.url, audience: "authorizer", required_claims: { job: ["load"] } },
      ],
      "authorizer.sts.users": [{ issuer: "cluster", claims: { job: "load" }, user: "alice" }],
    };
    other = await startNode(config);
    await other.data.directory.users.create({ username: "alice", email: "alice@example.com" });
    node = await startNode({ ...config, "authorizer.escalation": "deny" });
  });
  afterAll(async () => {
    await node?.service.stop();
    await other?.service.stop();
    await issuer?.stop();
    await stopServers();
  });

  /** Another node commits what this one does not hear of. */
  const moved = () => other.data.directory.users.create({ username: `other-${count++}` });
  const send = async ({ user }: Node, path: string, form: Record<string, string>, more: RequestInit = {}) => {
    const body = new URLSearchParams(form);
    const answer = await fetch(user + path, { method: "POST", body, ...more });
    const text = await answer.text();
    return { status: answer.status, json: text.startsWith("{") ? JSON.parse(text) : {}, text };
  };

  it("a program that asks for the first time is not told to ask less often", async () => {
    const { json: begun } = await send(node, "/oauth2/device_authorization", { client_id: "svcctl" });
    const poll = () =>
      send(node, "/oauth2/token", {
        grant_type: DEVICE,
        client_id: "svcctl",
        device_code: begun.device_code,
      });
    await moved();
    expect((await poll()).json.error).toBe("authorization_pending");
    await other.journal.catchUp();
    const { access_key_id, secret_access_key } = await other.data.directory.credentials.create("alice");
    const login = await fetch(`${other.user}/api/v1/auth/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ access_key_id, secret_access_key }),
    });
    const { token } = (await login.json()) as { readonly token: string };
    const form = { code: begun.user_code, answer: "confirm" };
    const headers = { cookie: `access_token=${token}`, "sec-fetch-site": "same-origin" };
    expect((await send(other, "/device", form, { headers })).status).toBe(200);
    await node.journal.catchUp();
    // The interval that the answer named.
    await setTimeout(begun.interval * 1_000);
    await moved();
    expect(await poll()).toMatchObject({ status: 200, json: { token_type: "Bearer" } });
  });

  it("one login token is given for one token, and one event is written", async () => {
    await node.journal.catchUp();
    await moved();
    const subject_token = await issuer.token({ job: "load", aud: "authorizer" });
    expect((await send(node, "/oauth2/token", { ...EXCHANGE, subject_token })).status).toBe(200);
    const events = () => node.audited().filter(({ how }) => how === "token_exchange");
    await expect.poll(events).toHaveLength(1);
    const sessions = async () =>
      (await node.data.directory.issuedSessions.list("alice", { amount: 100 })).results.filter(
        ({ how }) => how === "token_exchange",
      );
    await expect.poll(sessions).toHaveLength(1);
    await moved();
    expect((await send(node, "/oauth2/token", { ...EXCHANGE, subject_token: "none" })).status).toBe(400);
    await expect.poll(events).toHaveLength(2);
    await setTimeout(200);
    expect(events()).toHaveLength(2);
  });

  it("one event is written for a log-in that a data server forwards, also while the database is away", async () => {
    await node.journal.catchUp();
    const { passwords, sessions } = node.data.directory;
    const { userId } = await sessions.get("alice");
    await passwords.set({ username: "alice", userId }, await hashPassword(PASSWORD));
    const login = async () => {
      const answer = await fetch(`${node.service.addresses.service}/authentication/v1/remote`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ username: "alice", password: PASSWORD }),
      });
      return [answer.status, await answer.json()];
    };
    const events = () =>
      node.audited().filter(({ event, how }) => event === "login" && how === "remote_authenticator");
    await moved();
    expect(await login()).toEqual([200, { external_user_identifier: "alice" }]);
    await expect.poll(events).toHaveLength(1);
    node.isCut = true;
    const away = await login();
    node.isCut = false;
    expect(away).toEqual([200, { external_user_identifier: "alice" }]);
    await setTimeout(200);
    expect(events()).toHaveLength(2);
  });

  it("a wrong present password is counted and audited once", async () => {
    await node.journal.catchUp();
    const { access_key_id, secret_access_key } = await node.data.directory.credentials.create("alice");
    const authorization = `Basic ${Buffer.from(`${access_key_id}:${secret_access_key}`).toString("base64")}`;
    const change = async () => {
      const answer = await fetch(`${node.user}/api/v1/user/password`, {
        method: "PUT",
        headers: { authorization, "content-type": "application/json" },
        body: JSON.stringify({ password: "a wrong password", new_password: "another long password" }),
      });
      return answer.status;
    };
    const events = () =>
      node.audited().filter(({ operation, event }) => operation === "changePassword" && event !== "write");
    // Of the 20 that may fail in a minute, each counted twice would be too many.
    const attempts = 15;
    for (let attempt = 1; attempt <= attempts; attempt++) {
      await moved();
      expect(await change(), String(attempt)).toBe(403);
    }
    await expect.poll(events).toHaveLength(attempts);
  });

  it.each([
    ["deny", 403, "All"],
    ["warn", 201, "AlsoAll"],
  ])("a grant of more than its giver holds is audited once in mode %s", async (mode, status, policy) => {
    const [asked, ahead] = mode === "deny" ? [node, other] : [other, node];
    await ahead.journal.catchUp();
    const { directory } = ahead.data;
    const username = `deputy-${mode}`;
    const allow = (action: string) => [{ effect: "allow", action: [action], resource: "*" }] as const;
    await directory.policies.create({ name: policy, statement: allow("*") });
    await directory.policies.create({ name: `Attach-${mode}`, statement: allow("auth:AttachPolicy") });
    await directory.users.create({ username });
    await directory.users.attachPolicy(username, `Attach-${mode}`);
    const { access_key_id, secret_access_key } = await directory.credentials.create(username);
    await asked.journal.catchUp();
    const authorization = `Basic ${Buffer.from(`${access_key_id}:${secret_access_key}`).toString("base64")}`;
    const events = () => asked.audited().filter(({ operation }) => operation === "escalation");
    await directory.policies.update({ name: policy, statement: allow("fs:*") });
    const path = `/api/v1/auth/users/alice/policies/${policy}`;
    const answer = await fetch(asked.user + path, { method: "PUT", headers: { authorization } });
    expect(answer.status).toBe(status);
    await expect.poll(events).not.toEqual([]);
    await setTimeout(200);
    expect(events()).toMatchObject([{ actor: username, refused: mode === "deny" }]);
  });

  it("an application that grants more than its caller holds is audited once where it is refused", async () => {
    await other.journal.catchUp();
    const { directory } = other.data;
    const allow = (...action: string[]) => [{ effect: "allow", action, resource: "*" }] as const;
    await directory.policies.create({ name: "Everything", statement: allow("*") });
    const rights = allow("auth:*");
    await directory.policies.create({ name: "Apply", statement: rights });
    await directory.users.create({ username: "applier" });
    await directory.users.attachPolicy("applier", "Apply");
    const { access_key_id, secret_access_key } = await directory.credentials.create("applier");
    await node.journal.catchUp();
    await directory.policies.update({ name: "Everything", statement: allow("fs:*") });
    const documents = [{ format: 1, users: [{ username: "alice", policies: ["Everything"] }] }];
    const { status } = await fetch(`${node.user}/api/v1/auth/apply`, {
      method: "POST",
      headers: {
        authorization: `Basic ${Buffer.from(`${access_key_id}:${secret_access_key}`).toString("base64")}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ manager: "deputy", documents }),
    });
    expect(status).toBe(403);
    const events = () =>
      node.audited().filter(({ operation, actor }) => operation === "escalation" && actor === "applier");
    await expect.poll(events).not.toEqual([]);
    await setTimeout(200);
    expect(events()).toMatchObject([{ refused: true }]);
  });

  it("one mail is sent for one request", async () => {
    await node.journal.catchUp();
    // The mail is queued in the meantime.
    node.lookMs = 500;
    const { status } = await fetch(`${node.user}/api/v1/auth/password/forgot`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: "alice@example.com" }),
    });
    expect(status).toBe(204);
    await expect.poll(() => mails.mails.length).toBeGreaterThan(0);
    await setTimeout(1_000);
    expect(mails.mails.map(({ to }) => to)).toEqual([["alice@example.com"]]);
  });
});
