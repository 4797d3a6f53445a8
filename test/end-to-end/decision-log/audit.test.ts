import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { svcctl } from "../../../packages/svcctl/test/run-svcctl.ts";
import { segmentTexts } from "../../decision-log/test-log.ts";
import {
  cleanUp,
  newFolder,
  type RunningProgram,
  run as runProgram,
  start,
  whileRepeated,
  writeConfig,
} from "../program.ts";

const SECRET = "a-secret-of-root-0123456789";
const KEY = "AKIAJROOTROOTROOTROQ";
const TOKEN = "a-token-that-only-this-test-knows-0123456789";
const SECRET_KEY = "a-secret-key-that-only-this-test-knows-0123456789";
const object = (id: string) => `arn:svc:fs:::repository/${id}`;

let program: RunningProgram;
let folder = "";
let config = "";
let directory = "";

beforeAll(async () => {
  folder = newFolder();
  directory = join(folder, "audit");
  const dataset = writeConfig(
    folder,
    {
      format: 1,
      users: [
        {
          username: "root",
          policies: ["All"],
          credentials: [{ access_key_id: KEY, secret_access_key: SECRET }],
        },
      ],
      policies: [{ name: "All", statement: [{ effect: "allow", action: ["*"], resource: "*" }] }],
    },
    "dataset.json",
  );
  config = writeConfig(folder, {
    listen_address: "127.0.0.1:0",
    "authorizer.listen_address": "127.0.0.1:0",
    "authorizer.metrics_address": "127.0.0.1:0",
    "authorizer.node_name": "node-1",
    "authorizer.datasets": [dataset],
    "authorizer.audit.output": join(folder, "audit.log"),
    "authorizer.audit.directory": directory,
    "database.type": "local",
    "database.local.path": join(folder, "data"),
    "auth.encrypt.secret_key": SECRET_KEY,
    "auth.api.token": TOKEN,
  });
  program = await start(["--config", config], folder);
});
afterAll(cleanUp);

function run(...args: readonly string[]) {
  return svcctl(args, {
    env: {
      SVCCTL_SERVER_ENDPOINT_URL: program.user,
      SVCCTL_CREDENTIALS_ACCESS_KEY_ID: KEY,
      SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: SECRET,
    },
  });
}

async function call(method: string, path: string, body?: object, id = "a-request"): Promise<unknown> {
  const answer = await fetch(`${program.user}/api/v1/auth/${path}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`${KEY}:${SECRET}`).toString("base64")}`,
      "content-type": "application/json",
      "x-request-id": id,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  expect(answer.ok, text).toBe(true);
  return text === "" ? undefined : JSON.parse(text);
}

interface Found {
  readonly id: string;
  readonly event: string;
  readonly operation: string;
  readonly changed: readonly string[];
}

async function found(...args: readonly string[]): Promise<readonly Found[]> {
  const { code, stdout, stderr } = await run("audit", "list", "--all", "-o", "json", ...args);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as readonly Found[];
}

async function shown(id: string): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await run("audit", "show", id, "--json");
  expect(code, stderr).toBe(0);
  return (JSON.parse(stdout) as { record: Record<string, unknown> }).record;
}

const policy = (resource: string) => ({
  id: "Read",
  statement: [{ effect: "allow", action: ["fs:ReadObject"], resource: object(resource) }],
});

let secretOfBob = "";

describe("the audit log", () => {
  it("has metrics of its chain", async () => {
    await call("POST", "users", { id: "measured" });
    const value = async (name: string): Promise<number> => {
      const text = await (await fetch(`${program.metrics}/metrics`)).text();
      return Number(new RegExp(`^svc_authorizer_audit_log_${name} (.*)$`, "m").exec(text)?.[1]);
    };
    while ((await value("lines_total")) < 1) await new Promise((resolve) => setTimeout(resolve, 50));
    expect([await value("lost_total"), await value("failures_total")]).toEqual([0, 0]);
    expect(await value("sink_lag_seconds")).toBe(0);
  });

  it("says who changed what by which request, with before and after", async () => {
    await call("POST", "users", { id: "bob" }, "r-user");
    await call("POST", "policies", policy("a/*"), "r-policy");
    await call("PUT", "policies/Read", policy("b/*"), "r-update");
    await call("POST", "groups", { id: "Readers" }, "r-group");
    await call("PUT", "groups/Readers/members/bob", undefined, "r-member");
    await call("PUT", "users/bob/policies/Read", undefined, "r-attach");
    const key = (await call("POST", "users/bob/credentials", undefined, "r-key")) as {
      secret_access_key: string;
    };
    secretOfBob = key.secret_access_key;
    await call("DELETE", "users/bob/policies/Read", undefined, "r-detach");

    const [update] = await found("--operation", "updatePolicy");
    expect(await shown(update?.id as string)).toMatchObject({
      event: "write",
      actor: "root",
      node: "node-1",
      request_id: "r-update",
      revision: expect.any(Number),
      changes: [
        {
          kind: "policy",
          name: "Read",
          before: { statement: [{ resource: object("a/*") }] },
          after: { statement: [{ resource: object("b/*") }] },
        },
      ],
    });
    const records = await Promise.all((await found("--target", "user bob")).map(({ id }) => shown(id)));
    const changes = records.map(({ request_id, changes: made }) => [request_id, made]);
    expect(changes).toEqual([
      ["r-detach", [{ kind: "attachment", name: "Read", of: "user bob", before: {}, after: null }]],
      [
        "r-key",
        [
          {
            kind: "access_key",
            name: expect.stringMatching(/^AKIA/),
            of: "user bob",
            before: null,
            after: { creation_date: expect.any(Number) },
          },
        ],
      ],
      ["r-attach", [{ kind: "attachment", name: "Read", of: "user bob", before: null, after: {} }]],
      [
        "r-user",
        [
          {
            kind: "user",
            name: "bob",
            before: null,
            after: { creation_date: expect.any(Number), source: "internal" },
          },
        ],
      ],
    ]);
    const [member] = await found("--target", "membership bob");
    expect((await shown(member?.id as string))["changes"]).toEqual([
      { kind: "membership", name: "bob", of: "group Readers", before: null, after: {} },
    ]);
    const text = await run("audit", "show", update?.id as string);
    expect(text.stdout).toContain("policy Read");
    expect(text.stdout).toContain(object("b/*"));
  });

  it("attributes each change to its own call, also if many commit together", async () => {
    const names = Array.from({ length: 24 }, (_, index) => `many${index}`);
    await Promise.all(names.map((name) => call("POST", "users", { id: name }, `r-${name}`)));
    const made = await found("--target", "user many*", "--event", "write");
    expect(made).toHaveLength(names.length);
    for (const { id } of made.slice(0, 6)) {
      const { request_id, changes } = await shown(id);
      expect(changes).toMatchObject([{ kind: "user", name: String(request_id).slice(2) }]);
    }
  });

  it("has log-ins that fail, and is followed as it is written", async () => {
    const tail = run("audit", "tail", "--event", "authentication_failed", "--count", "1", "--json");
    const basic = Buffer.from(`${KEY}:wrong-secret-of-this-test`).toString("base64");
    // It follows what comes after its start, which nothing announces.
    const { stdout } = await whileRepeated(tail, () =>
      fetch(`${program.user}/api/v1/auth/users`, { headers: { authorization: `Basic ${basic}` } }),
    );
    expect(JSON.parse(stdout)).toMatchObject({ event: "authentication_failed", access_key_id: KEY });
  });

  it("needs auth:ReadAudit", async () => {
    await call("POST", "policies", { ...policy("*"), id: "NoAudit", statement: NO_AUDIT });
    await call("PUT", "users/root/policies/NoAudit");
    const refused = await run("audit", "list");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("auth:ReadAudit");
    await call("DELETE", "users/root/policies/NoAudit");
  });

  it("has no secret, and is verified as the decision log is", async () => {
    await call("POST", "users/bob/credentials", undefined, "r-key-2");
    expect(await program.end()).toBe(0);
    const chain = join(directory, "node-1-0");
    const texts = [...segmentTexts(chain), readFileSync(join(folder, "audit.log"), "utf8")].join("\n");
    expect(texts).toContain("r-key-2");
    const secrets = [SECRET, SECRET_KEY, TOKEN, secretOfBob, "wrong-secret-of-this-test"];
    expect(secretOfBob.length).toBeGreaterThan(20);
    for (const secret of secrets) expect(texts).not.toContain(secret);
    const verify = () =>
      runProgram(["decision-log", "verify", "--directory", directory, "--config", config], folder);
    const sound = await verify();
    expect(sound.code, sound.stdout).toBe(0);
    const file = join(chain, "0000000001.jsonl");
    writeFileSync(file, readFileSync(file, "utf8").replace('"actor":"root"', '"actor":"toor"'));
    const damaged = await verify();
    expect(damaged.code).toBe(1);
    expect(damaged.stdout).toMatch(/0000000001\.jsonl:\d+: the line was changed/);
  });
});

const NO_AUDIT = [{ effect: "deny", action: ["auth:ReadAudit"], resource: "*" }];
