/** Several worker processes on one folder (spec/journal §7), as real processes. */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { cleanUp, newFolder, type RunningProgram, run, start, writeConfig } from "../end-to-end/program.ts";
import { ask, askBoth, decision, isWorker, TOKEN, workerPids } from "./worker-requests.ts";

const KEY = "a-secret-key-that-only-this-test-knows-0123456789";

let folder: string;
let config: string;
let program: RunningProgram;

async function startAnew(): Promise<void> {
  folder = newFolder();
  config = writeConfig(folder, settings());
  program = await start(["--config", config], folder);
}

async function endAll(): Promise<void> {
  const pids = workerPids(program);
  await program.end("SIGKILL");
  // Hooks may not poll.
  await vi.waitFor(() => expect(pids.filter(isWorker)).toEqual([]), 60_000);
  cleanUp();
}

function settings(): Record<string, unknown> {
  return {
    listen_address: "127.0.0.1:0",
    "authorizer.listen_address": "127.0.0.1:0",
    "authorizer.metrics_address": "127.0.0.1:0",
    "authorizer.workers": 2,
    "authorizer.shutdown_delay": "0s",
    "authorizer.forward_auth.max_failures": "6/h",
    "authorizer.tokens": [{ name: "extra", token_file: tokenFile(), scopes: ["read"] }],
    "database.type": "local",
    "database.local.path": `${folder}/data`,
    "auth.encrypt.secret_key": KEY,
    "auth.api.token": TOKEN,
    "authorizer.audit.output": `${folder}/audit.log`,
  };
}

function tokenFile(): string {
  const file = `${folder}/extra.token`;
  writeFileSync(file, "an-extra-token-of-the-first-kind-0123456789\n");
  return file;
}

const api = (method: string, path: string, body?: unknown) =>
  ask(program.service, method, `/api/v1${path}`, body);

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${program.metrics}/metrics`)).text();
  const values = [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "gm"))].map(([, one]) =>
    Number(one),
  );
  return values.reduce((sum, one) => sum + one, 0);
}

describe("two workers", () => {
  beforeAll(startAnew, 60_000);
  afterAll(endAll);

  it("answer about the decisions of both, whichever of them is asked", async () => {
    // The first of the tests that decide: all decisions are counted.
    const statement = [{ effect: "allow", action: ["auth:ReadDecisions"], resource: "*" }];
    await api("POST", "/auth/policies", { name: "Watch", statement });
    await api("POST", "/auth/users", { username: "carol" });
    await api("PUT", "/auth/users/carol/policies/Watch");
    const { access_key_id: id, secret_access_key: secret } = JSON.parse(
      (await api("POST", "/auth/users/carol/credentials")).body,
    );
    const made = await askBoth(20, decision(program.service, "carol"));
    const basic = `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;
    const status = () => ask(program.user, "GET", "/api/v1/auth/status", undefined, { authorization: basic });
    for (const { body } of await askBoth(4, status)) {
      const { minutes } = JSON.parse(body).decisions;
      const refused = minutes.reduce((sum: number, one: { refused: number }) => sum + one.refused, 0);
      expect(refused).toBe(made.length);
    }
  });

  it("decide alike right after each write, whichever of them took it", async () => {
    await api("POST", "/auth/policies", {
      name: "Read",
      statement: [{ effect: "allow", action: ["fs:Read*"], resource: "*" }],
    });
    expect((await api("POST", "/auth/users", { username: "alice" })).status).toBe(201);
    for (let round = 0; round < 20; round++) {
      expect((await api("PUT", "/auth/users/alice/policies/Read")).status).toBe(201);
      for (const { body } of await askBoth(4, decision(program.service, "alice")))
        expect(body).toContain('"decision":true');
      expect((await api("DELETE", "/auth/users/alice/policies/Read")).status).toBe(204);
      for (const { body } of await askBoth(4, decision(program.service, "alice")))
        expect(body).toContain('"decision":false');
    }
    expect(await metric("svc_authorizer_workers")).toBe(2);
    expect(await metric("svc_authorizer_decisions_total")).toBeGreaterThanOrEqual(160);
  });

  it("refuse a key right after the answer that it is deleted, though both had it cached", async () => {
    await api("POST", "/auth/users", { username: "bob" });
    for (let round = 0; round < 10; round++) {
      const created = await api("POST", "/auth/users/bob/credentials");
      const { access_key_id: id, secret_access_key: secret } = JSON.parse(created.body);
      const basic = `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;
      const login = () => ask(program.user, "GET", "/api/v1/user", undefined, { authorization: basic });
      for (const { status } of await askBoth(4, login)) expect(status).toBe(200);
      expect((await api("DELETE", `/auth/users/bob/credentials/${id}`)).status).toBe(204);
      for (const { status } of await askBoth(4, login)) expect([401, 429]).toContain(status);
    }
  });

  it("tell readers of changes what either of them committed, and share one set-up", async () => {
    const answer = await fetch(`${program.service}/api/v1/watch`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    const made = await askBoth(4, () => api("POST", "/auth/users", { username: `w${Math.random()}` }));
    let seen = "";
    while ((seen.match(/"users":\["w0/g) ?? []).length < made.length) {
      const { value, done } = await reader.read();
      expect(done).toBe(false);
      seen += value;
    }
    await reader.cancel();
    const token = readFileSync(/^setup token in (.+)$/m.exec(program.stdout())![1]!, "utf8").trim();
    const setUp = () =>
      ask(
        program.user,
        "POST",
        "/api/v1/setup_lakefs",
        { username: "root", setup_token: token },
        { authorization: "" },
      );
    const attempts = await Promise.all(Array.from({ length: 6 }, setUp));
    expect(attempts.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
  });

  it("refuse to start where an address is in use, and leave nothing behind", async () => {
    const { host } = new URL(program.service);
    const other = {
      ...settings(),
      "authorizer.listen_address": host,
      "database.local.path": `${folder}/other`,
    };
    const { code, stderr } = await run(["run", "--config", writeConfig(folder, other, "other.yaml")], folder);
    expect(code).toBe(1);
    expect(stderr).toContain("authorizer.listen_address: cannot listen");
  });

  it("let a one-time token be claimed once", async () => {
    const claim = { token_id: "once", expires_at: Math.floor(Date.now() / 1_000) + 600 };
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => api("POST", "/auth/tokenid/claim", claim)),
    );
    expect(new Set(answers.map(({ worker }) => worker)).size).toBe(2);
    expect(answers.filter(({ status }) => status === 201).length).toBe(1);
  });
});

/** A form that `/device` and `/oauth2/*` take, on a connection of its own. */
async function form(path: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
  const body = new URLSearchParams(fields).toString();
  const type = "application/x-www-form-urlencoded";
  return fetch(`${program.user}${path}`, {
    method: "POST",
    body,
    headers: { "content-type": type, connection: "close", ...headers },
  });
}

describe("two workers of their own", () => {
  beforeEach(startAnew, 60_000);
  afterEach(endAll);

  it("sign in one program after the other of one address, whichever of them knows of it", async () => {
    await api("POST", "/auth/users", { username: "alice" });
    const created = await api("POST", "/auth/users/alice/credentials");
    const { access_key_id: id, secret_access_key: secret } = JSON.parse(created.body);
    const login = await ask(program.user, "POST", "/api/v1/auth/login", {
      access_key_id: id,
      secret_access_key: secret,
    });
    const cookie = `access_token=${JSON.parse(login.body).token}`;
    for (let count = 0; count < 24; count++) {
      const begun = await form("/oauth2/device_authorization", { client_id: "svcctl", host_name: "laptop" });
      const asked = (await begun.json()) as Record<string, string>;
      expect([count, begun.status, asked]).toEqual([count, 200, expect.anything()]);
      const { user_code: code = "", device_code = "" } = asked;
      const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
      const poll = () => form("/oauth2/token", { grant_type, client_id: "svcctl", device_code });
      // Connections go to the workers by turns: of four, the last goes to another one than the first.
      await ask(program.user, "GET", "/healthz");
      const typed = { code, answer: "confirm" };
      const confirmed = await form("/device", typed, { cookie, "sec-fetch-site": "same-origin" });
      expect(await confirmed.text()).toContain("The program is signed in");
      expect(await (await poll()).json()).toHaveProperty("access_token");
    }
  });

  it("count failed attempts together", async () => {
    await api("POST", "/auth/users", { username: "alice" });
    const created = await api("POST", "/auth/users/alice/credentials");
    const { access_key_id: id } = JSON.parse(created.body);
    const wrong = `Basic ${Buffer.from(`${id}:wrong`).toString("base64")}`;
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 30; attempt++) {
      statuses.push(
        (await ask(program.user, "GET", "/api/v1/user", undefined, { authorization: wrong })).status,
      );
    }
    const refused = statuses.filter((status) => status === 401).length;
    // News of a failure may be on its way while the next attempt is answered.
    expect(refused).toBeGreaterThanOrEqual(6);
    expect(refused).toBeLessThanOrEqual(8);
    expect(new Set(statuses.slice(-10))).toEqual(new Set([429]));
  });

  it("are replaced when they are killed under load, and nothing acknowledged is lost", async () => {
    const acknowledged: string[] = [];
    let stop = false;
    const failures: string[] = [];
    const writer = async (index: number): Promise<void> => {
      for (let number = 0; !stop; number++) {
        const username = `u${index}-${number}`;
        const { status, body } = await api("POST", "/auth/users", { username }).catch((error: Error) => {
          return { status: 0, body: error.message };
        });
        if (status === 201) acknowledged.push(username);
        else failures.push(body);
        // More writes would show no more: each of them is looked for afterwards.
        await delay(60);
      }
    };
    const writers = Array.from({ length: 6 }, (_, index) => writer(index));
    for (let kill = 0; kill < 4; kill++) {
      await delay(300);
      const [victim] = workerPids(program);
      process.kill(victim!, "SIGKILL");
      await expect.poll(() => workerPids(program).length).toBe(2);
      await expect.poll(() => metric("svc_authorizer_workers_replaced_total")).toBe(kill + 1);
      await expect.poll(() => metric("svc_authorizer_workers")).toBe(2);
    }
    stop = true;
    await Promise.all(writers);
    expect(acknowledged.length).toBeGreaterThan(20);
    // Only what was on the wire to a worker that was killed has failed, and at once.
    expect(failures.filter((message) => !/hang up|ECONNRESET/.test(message))).toEqual([]);
    expect(failures.length).toBeLessThanOrEqual(4 * 6);
    for (const username of acknowledged) {
      // Another worker answers than the one that wrote, and may hear of the last writes a moment later.
      await expect.poll(async () => (await api("GET", `/auth/users/${username}`)).status).toBe(200);
    }
    expect(await program.end()).toBe(0);
    const checked = await run(["check-store", "--config", config], folder);
    expect(checked.code, checked.stderr).toBe(0);
    const audited = readFileSync(`${folder}/audit.log`, "utf8").trim().split("\n");
    const named = new Set(audited.map((line) => (JSON.parse(line) as { user?: string }).user));
    // The last lines of a process that was killed may be missing; those of the others are whole.
    expect(acknowledged.filter((username) => !named.has(username)).length).toBeLessThan(30);
  });

  it("end at once when their primary is killed, and the folder is free", async () => {
    await api("POST", "/auth/users", { username: "alice" });
    const pids = workerPids(program);
    expect(pids.length).toBe(2);
    await program.end("SIGKILL");
    await expect.poll(() => pids.filter(isWorker)).toEqual([]);
    program = await start(["--config", config], folder);
    expect((await api("GET", "/auth/users/alice")).status).toBe(200);
  });

  it("decide by one configuration, also after SIGHUP and the end of one: what needs a restart waits for it", async () => {
    const about = async (type: string) => {
      const body = { subject: { type, id: "alice" }, action: { name: "fs:ReadObject" }, resource };
      const answers = await askBoth(4, () => ask(program.service, "POST", "/access/v1/evaluation", body));
      return new Set(answers.map(({ body: text }) => (JSON.parse(text) as { decision: boolean }).decision));
    };
    const resource = { type: "arn", id: "arn:svc:fs:::repository/r/object/o" };
    const statement = [{ effect: "allow", action: ["fs:*"], resource: "*" }];
    await api("POST", "/auth/users", { username: "alice" });
    await api("POST", "/auth/policies", { name: "All", statement });
    await api("PUT", "/auth/users/alice/policies/All");
    expect([await about("user"), await about("agent")]).toEqual([new Set([true]), new Set([false])]);
    const extra = "an-extra-token-of-the-third-kind-0123456789";
    writeConfig(folder, { ...settings(), "authorizer.subjects.types": ["user", "agent"] });
    writeFileSync(`${folder}/extra.token`, `${extra}\n`);
    program.child.kill("SIGHUP");
    const waits = /WARN .*restart.*authorizer\.subjects\.types/;
    await expect.poll(() => program.stdout()).toMatch(waits);
    for (const pid of workerPids(program)) {
      process.kill(pid, "SIGKILL");
      await expect.poll(() => workerPids(program).includes(pid)).toBe(false);
      await expect.poll(() => workerPids(program).length).toBe(2);
      await expect.poll(() => metric("svc_authorizer_workers")).toBe(2);
      await expect.poll(() => about("user")).toEqual(new Set([true]));
      expect(await about("agent")).toEqual(new Set([false]));
    }
    // Tokens are those of the newest reading, also in processes that began later.
    const headers = { authorization: `Bearer ${extra}` };
    const users = await askBoth(4, () =>
      ask(program.service, "GET", "/api/v1/auth/users", undefined, headers),
    );
    expect(new Set(users.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await program.end()).toBe(0);
  });

  it("refuse a token that SIGHUP takes away while one of them starts", async () => {
    const token = "a-token-that-is-taken-away-meanwhile-012345";
    const tokens = [{ name: "leaver", token, scopes: ["read"] }];
    await program.end();
    writeConfig(folder, { ...settings(), "authorizer.tokens": tokens });
    program = await start(["--config", config], folder);
    const statuses = async () => {
      const headers = { authorization: `Bearer ${token}` };
      const ofLeaver = () => ask(program.service, "GET", "/api/v1/auth/users", undefined, headers);
      return new Set((await askBoth(4, ofLeaver)).map(({ status }) => status));
    };
    expect(await statuses()).toEqual(new Set([200]));
    const before = workerPids(program);
    process.kill(before[0]!, "SIGKILL");
    const isForked = () => workerPids(program).some((pid) => !before.includes(pid));
    while (!isForked()) await delay(5);
    writeConfig(folder, settings());
    program.child.kill("SIGHUP");
    await expect.poll(() => readFileSync(`${folder}/audit.log`, "utf8")).toContain('"what":"tokens"');
    await expect.poll(() => metric("svc_authorizer_workers")).toBe(2);
    expect(await statuses()).toEqual(new Set([401]));
  });

  it("refuse a token that SIGHUP takes away while all of them start", async () => {
    const token = "a-token-that-is-taken-away-meanwhile-012345";
    const tokens = [{ name: "leaver", token, scopes: ["read"] }];
    await program.end();
    const users = [{ username: "alice" }];
    const withUsers = {
      ...settings(),
      "authorizer.datasets": [writeConfig(folder, { format: 1, users }, "d.json")],
    };
    writeConfig(folder, { ...withUsers, "authorizer.tokens": tokens });
    let isTold = false;
    // The configuration is read by then, and the workers take their time.
    const onOutput: NonNullable<Parameters<typeof start>[4]>["onOutput"] = (child, stdout) => {
      if (isTold || !stdout.includes("data sets loaded")) return;
      isTold = true;
      writeConfig(folder, withUsers);
      child.kill("SIGHUP");
    };
    program = await start(["--config", config], folder, {}, undefined, { onOutput });
    expect(isTold).toBe(true);
    const headers = { authorization: `Bearer ${token}` };
    const ofLeaver = () => ask(program.service, "GET", "/api/v1/auth/users", undefined, headers);
    const statuses = async () => new Set((await askBoth(4, ofLeaver)).map(({ status }) => status));
    await expect.poll(statuses).toEqual(new Set([401]));
  });

  it("read tokens again on SIGHUP, and finish on SIGTERM", async () => {
    const fresh = "an-extra-token-of-the-second-kind-012345678";
    const status = async () =>
      (
        await ask(program.service, "GET", "/api/v1/auth/users", undefined, {
          authorization: `Bearer ${fresh}`,
        })
      ).status;
    expect(await status()).toBe(401);
    writeFileSync(`${folder}/extra.token`, `${fresh}\n`);
    program.child.kill("SIGHUP");
    // Each worker reads the file in its own time: when all answers of a row are 200, both have.
    const row = async () => {
      const answers: number[] = [];
      for (let time = 0; time < 6; time++) answers.push(await status());
      return answers;
    };
    await expect.poll(row).toEqual(Array.from({ length: 6 }, () => 200));
    const pids = workerPids(program);
    expect(await program.end()).toBe(0);
    expect(pids.filter(isWorker)).toEqual([]);
    expect(readdirSync(`${folder}/data`)).toContain("svc-authorizer");
  });
});
