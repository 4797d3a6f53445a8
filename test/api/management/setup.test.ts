import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCommand } from "../../bootstrap/command-kit.ts";
import { call } from "../../http/call.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { basic, callTarget } from "./kit.ts";

const PATH = "/api/v1/setup_lakefs";
let folder: string;
let running: TestAuthorizer | undefined;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  await running?.close();
  running = undefined;
});

const items = () => ({
  "database.type": "local",
  "database.local.path": folder,
  "database.local.sync_writes": "false",
  "auth.encrypt.secret_key": "0123456789abcdef0123456789abcdef-key",
  "auth.api.token": "0123456789abcdef0123456789abcdef-token",
  "authorizer.audit.output": join(folder, "audit.log"),
});
const tokenFile = () => join(folder, "svc-authorizer-setup-token");
const tokenNow = () => readFileSync(tokenFile(), "utf8").trim();

async function start(more: Record<string, string> = {}): Promise<TestAuthorizer> {
  running = await startAuthorizer({ config: { ...items(), ...more } });
  return running;
}

async function restart(more: Record<string, string> = {}): Promise<TestAuthorizer> {
  await running?.close();
  return start(more);
}

const post = (body: unknown, path = PATH) => callTarget(running?.userUrl ?? "", "POST", path, { body });
const stateNow = async () => (await callTarget(running?.userUrl ?? "", "GET", PATH)).json.state;
const userNow = (key: Parameters<typeof basic>[0]) =>
  callTarget(running?.userUrl ?? "", "GET", "/api/v1/user", { headers: { authorization: basic(key) } });

describe("set-up of a running service", () => {
  it("makes an administrator of the preconfigured group, once", async () => {
    await start();
    expect(await stateNow()).toBe("not_initialized");
    expect(statSync(tokenFile()).mode & 0o777).toBe(0o600);
    const setup_token = tokenNow();
    const made = await post({ username: "root", setup_token });
    expect(made.status).toBe(200);
    expect(made.headers.get("cache-control")).toBe("no-store");
    expect(made.json.access_key_id).toMatch(/^AKIAJ[A-Z2-7]{14}Q$/);
    expect((await userNow(made.json)).json.user.id).toBe("root");
    const authorization = basic(made.json);
    const users = await callTarget(running?.userUrl ?? "", "GET", "/api/v1/auth/users", {
      headers: { authorization },
    });
    expect(users.status).toBe(200);
    expect(existsSync(tokenFile())).toBe(false);
    expect(await stateNow()).toBe("initialized");
    const again = await post({ username: "other", setup_token });
    expect([again.status, again.json]).toEqual([409, { message: "already initialized" }]);
    const audited = () => readFileSync(join(folder, "audit.log"), "utf8");
    await expect.poll(audited).toContain('"event":"setup"');
    const log = audited();
    for (const secret of [setup_token, made.json.secret_access_key]) expect(log).not.toContain(secret);
  });

  it("is done when a data server's own set-up gives its administrator a key", async () => {
    const { url, token } = await start();
    const setup_token = tokenNow();
    const calls: [string, string, unknown?][] = [
      ["POST", "/auth/groups", { id: "Admins" }],
      ["POST", "/auth/users", { username: "admin", source: "internal" }],
      ["PUT", "/auth/groups/Admins/members/admin"],
      ["POST", "/auth/users/admin/credentials"],
    ];
    for (const [method, path, body] of calls) {
      expect(await stateNow()).toBe("not_initialized");
      const headers = { authorization: `Bearer ${token}` };
      expect((await call(url, method, `/api/v1${path}`, { body, headers })).status).toBe(201);
    }
    expect(await stateNow()).toBe("initialized");
    expect((await post({ username: "other", setup_token })).status).toBe(409);
    expect(existsSync(tokenFile())).toBe(false);
  });

  it("imports a key, and has a short path", async () => {
    await start();
    const key = { access_key_id: "AKIAJIMPORTEDIMPORTQ", secret_access_key: "an imported secret" };
    const made = await post({ username: "root", key, setup_token: tokenNow() }, "/api/v1/setup");
    expect(made.json).toMatchObject(key);
    expect((await userNow(key)).status).toBe(200);
  });

  it("is refused without the token, from loopback too", async () => {
    await start();
    for (const token of [{}, { setup_token: "x".repeat(43) }, { setup_token: "" }]) {
      const { status, json } = await post({ username: "root", ...token });
      expect({ status, json }).toEqual({ status: 401, json: { message: "error authenticating request" } });
    }
    expect(await stateNow()).toBe("not_initialized");
    expect((await running?.directory.users.list({ amount: 10 }))?.results).toEqual([]);
  });

  it("leaves nothing behind after a faulty request, and can be repeated", async () => {
    await start();
    const faulty = [
      { username: "a*b" },
      {},
      { username: "root", key: { access_key_id: "AKIAJ" } },
      { username: "root", key: { access_key_id: "a\u0000", secret_access_key: "x" } },
    ];
    for (const body of faulty) expect((await post({ ...body, setup_token: tokenNow() })).status).toBe(400);
    expect((await running?.directory.groups.list({ amount: 10 }))?.results).toEqual([]);
    expect((await post({ username: "root", setup_token: tokenNow() })).status).toBe(200);
  });

  it("of several at once one succeeds", async () => {
    await start();
    const setup_token = tokenNow();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => post({ username: `root-${index}`, setup_token })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
    const members = await running?.directory.groups.members("Admins", { amount: 10 });
    expect(members?.results.length).toBe(1);
  });

  it("takes over no user who exists", async () => {
    await start();
    await running?.directory.users.create({ username: "carol" });
    const answer = await post({ username: "carol", setup_token: tokenNow() });
    expect([answer.status, answer.json.message]).toEqual([409, "Already exists"]);
    expect(await stateNow()).toBe("not_initialized");
  });
});

describe("over restarts", () => {
  it("an unused token is replaced, and a used one never comes back", async () => {
    await start();
    const first = tokenNow();
    await restart();
    const second = tokenNow();
    expect(second).not.toBe(first);
    expect((await post({ username: "root", setup_token: first })).status).toBe(401);
    expect((await post({ username: "root", setup_token: second })).status).toBe(200);
    await restart();
    expect(existsSync(tokenFile())).toBe(false);
    expect(await stateNow()).toBe("initialized");
    expect((await post({ username: "again", setup_token: second })).status).toBe(409);
  });

  it("it stays done when the administrators are gone: it never follows from an empty group", async () => {
    await start();
    await post({ username: "root", setup_token: tokenNow() });
    await running?.directory.users.delete("root");
    await restart();
    expect(await stateNow()).toBe("initialized");
    expect(existsSync(tokenFile())).toBe(false);
  });

  it("a bootstrap in mode external is a set-up", async () => {
    await start({ "authorizer.bootstrap": "external" });
    expect(await stateNow()).toBe("initialized");
    expect(existsSync(tokenFile())).toBe(false);
  });

  it("a store of mode simplified gets its administrator in the group that is there", async () => {
    await start({ "auth.ui_config.rbac": "simplified" });
    const made = await post({ username: "root", setup_token: tokenNow() });
    expect(made.status).toBe(200);
    const { results } = (await running?.directory.groups.list({ amount: 10 })) ?? { results: [] };
    expect(results.map(({ name }) => name)).toEqual(["Admins", "Readers", "Supers", "Viewers", "Writers"]);
    const authorization = basic(made.json);
    const listed = await callTarget(running?.userUrl ?? "", "GET", "/api/v1/auth/policies", {
      headers: { authorization },
    });
    expect(listed.status).toBe(200);
  });
});

describe("svc-authorizer setup", () => {
  it("sets up the store of a service that is not running, once", async () => {
    const first = await runCommand(["setup", "--user-name", "root", "--json"], items());
    expect(first.code).toBe(0);
    const key = JSON.parse(first.stdout);
    expect(await runCommand(["setup", "--user-name", "other"], items())).toMatchObject({
      code: 1,
      stdout: "",
    });
    await start();
    expect((await userNow(key)).json.user.id).toBe("root");
    expect(await stateNow()).toBe("initialized");
  });

  it("sets up a running service with the token of its file", async () => {
    const { userUrl } = await start();
    const done = await runCommand(["setup", "--user-name", "root", "--server", userUrl], items());
    expect(done).toMatchObject({ code: 0, stderr: "" });
    expect(done.stdout).toMatch(
      /^Administrator root created\.\nAccess Key ID: {5}AKIAJ\w{15}\nSecret Access Key: \S{40}\n\nKeep these/,
    );
    const again = await runCommand(["setup", "--user-name", "x", "--server", userUrl], items());
    expect(again.code).toBe(2);
    expect(again.stderr).toContain("a service that is set up has no one-time token");
  });

  it("imports a key whose secret comes from a variable, never from the command line", async () => {
    const args = ["setup", "--user-name", "root", "--access-key-id", "AKIAJIMPORTEDIMPORTQ"];
    const missing = await runCommand([...args, "--secret-env", "THE_SECRET"], items());
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining("THE_SECRET is not set") });
    const done = await runCommand([...args, "--secret-env", "THE_SECRET"], items(), {
      THE_SECRET: "from a variable",
    });
    expect(done.stdout).toContain("from a variable");
    await start();
    const key = { access_key_id: "AKIAJIMPORTEDIMPORTQ", secret_access_key: "from a variable" };
    expect((await userNow(key)).status).toBe(200);
  });
});

describe("commands on administrators and stores", () => {
  it.each([
    ["setup", ["setup", "--user-name", "two"]],
    ["superuser", ["superuser", "--user-name", "two"]],
    ["reset", ["reset", "--yes"]],
  ])("change nothing that the audit log cannot take: %s", async (command, args) => {
    if (command !== "setup") await runCommand(["setup", "--user-name", "one"], items());
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "");
    const unaudited = { ...items(), "authorizer.audit.output": join(file, "audit.log") };
    const { code, stderr } = await runCommand(args, unaudited);
    expect([code, stderr]).toEqual([2, expect.stringContaining("authorizer.audit.output cannot be written")]);
    const [again = ""] = command === "reset" ? ["superuser"] : args;
    expect(await runCommand([again, "--user-name", "two"], items())).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("svc-authorizer superuser", () => {
  it("adds an administrator to a store that is set up", async () => {
    expect((await runCommand(["superuser", "--user-name", "two"], items())).stderr).toContain(
      "svc-authorizer setup",
    );
    await runCommand(["setup", "--user-name", "one"], items());
    const { code, stdout } = await runCommand(["superuser", "--user-name", "two", "--json"], items());
    expect(code).toBe(0);
    expect((await runCommand(["superuser", "--user-name", "two"], items())).code).toBe(1);
    await start();
    expect((await userNow(JSON.parse(stdout))).json.user.id).toBe("two");
    const members = await running?.directory.groups.members("Admins", { amount: 10 });
    expect(members?.results.map(({ username }) => username)).toEqual(["one", "two"]);
  });

  it("leaves the store of a running service alone and says what to do", async () => {
    await start();
    const { code, stderr } = await runCommand(["superuser", "--user-name", "two"], items());
    expect(code).toBe(1);
    expect(stderr).toContain("svcctl with an administrator's key");
  });
});
