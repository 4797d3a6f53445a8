import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { svcctl } from "../../../packages/svcctl/test/run-svcctl.ts";
import type { ConfigObject } from "../../../src/config/load.ts";
import { cleanUp, newFolder, type RunningProgram, start, writeConfig } from "../program.ts";

const SECRET = "a-secret-of-root-0123456789";
const KEY = "AKIAJROOTROOTROOTROQ";
const TOKEN = "a-token-that-only-this-test-knows-0123456789";
const object = (id: string) => `arn:svc:fs:::repository/${id}`;

const statement = (effect: "allow" | "deny", resource: string, sid?: string) => ({
  ...(sid !== undefined && { sid }),
  effect,
  action: ["fs:ReadObject"],
  resource,
});

const dataset = (read: readonly object[]) => ({
  format: 1,
  users: [
    { username: "alice", groups: ["Readers"] },
    {
      username: "root",
      policies: ["All"],
      credentials: [{ access_key_id: KEY, secret_access_key: SECRET }],
    },
  ],
  groups: [{ name: "Readers", policies: ["Read"] }],
  policies: [
    { name: "Read", statement: read },
    { name: "All", statement: [{ effect: "allow", action: ["*"], resource: "*" }] },
  ],
});

const IN_FORCE = dataset([statement("allow", object("data/object/*"))]);
/** Allows what is refused below `more`, refuses what is allowed below `data/object/s`. */
const CHANGED = [
  statement("allow", object("data/object/*")),
  statement("allow", object("more/object/*"), "More"),
  statement("deny", object("data/object/s*"), "Secret"),
];

interface Report {
  readonly candidate: { readonly kind: string; readonly loaded_at: string } | null;
  readonly error?: string;
  readonly decisions: number;
  readonly wider: number;
  readonly narrower: number;
  readonly groups: readonly object[];
  readonly differences: readonly { readonly request: string; readonly entrance: string }[];
}

async function reportOf(userUrl: string): Promise<Report> {
  const { code, stdout, stderr } = await svcctl(["shadow", "report", "--json"], environment(userUrl));
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as Report;
}

function environment(userUrl: string) {
  return {
    env: {
      SVCCTL_SERVER_ENDPOINT_URL: userUrl,
      SVCCTL_CREDENTIALS_ACCESS_KEY_ID: KEY,
      SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: SECRET,
    },
  };
}

/** Asks for the report until it is as expected. */
async function eventually(userUrl: string, is: (report: Report) => boolean): Promise<Report> {
  for (let tries = 0; ; tries++) {
    const report = await reportOf(userUrl);
    if (is(report) || tries === 100) return report;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function post(url: string, path: string, body: object, token = TOKEN): Promise<unknown> {
  const answer = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return answer.json();
}

const check = (user: string, id: string) => ({
  user,
  required: { action: "fs:ReadObject", resource: object(id) },
});

/** The same questions through every entrance; of each, one that gets wider and one that gets narrower. */
async function askEverywhere(url: string, token = TOKEN): Promise<readonly unknown[]> {
  const ids = ["data/object/a", "data/object/secret", "more/object/b", "other/object/c"];
  const subject = { type: "user", id: "alice" };
  const action = { name: "read" };
  const elements = ids.map((id) => {
    const [repository, , key] = id.split("/");
    return { resource: { type: "object", id: `${repository}/${key}` } };
  });
  const answers: unknown[] = [];
  for (const id of ids) answers.push(await post(url, "/access/v1/check", check("alice", id), token));
  for (const element of elements) {
    answers.push(await post(url, "/access/v1/evaluation", { subject, action, ...element }, token));
  }
  answers.push(await post(url, "/access/v1/evaluations", { subject, action, evaluations: elements }, token));
  answers.push(
    await post(
      url,
      "/access/v1/filter",
      { user: "alice", action: "fs:ReadObject", resources: ids.map(object) },
      token,
    ),
  );
  for (const id of ids) {
    const [repository, , key] = id.split("/");
    const path = `/api/v1/repositories/${repository}/refs/main/objects`;
    const request = { user: "alice", api: "main", method: "GET", path, query: { path: key } };
    answers.push(await post(url, "/access/v1/request", request, token));
  }
  return answers;
}

const ENTRANCES = ["check", "evaluation", "evaluations", "filter", "request"];

function withoutIds(answers: readonly unknown[]): unknown {
  return JSON.parse(JSON.stringify(answers).replaceAll(/"d-[0-9a-f]+-[0-9a-z]+"/g, '"id"'));
}

describe("a shadow candidate that is a data set, beside a real process", () => {
  let program: RunningProgram;
  let folder: string;
  let candidate: string;

  beforeAll(async () => {
    folder = newFolder();
    candidate = join(folder, "candidate");
    mkdirSync(candidate);
    writeFileSync(join(folder, "in-force.json"), JSON.stringify(IN_FORCE));
    writeFileSync(join(candidate, "all.json"), JSON.stringify(dataset(CHANGED)));
    const config = writeConfig(folder, configOf(folder, { "authorizer.shadow.candidate": candidate }));
    program = await start(["--config", config], folder);
  });
  afterAll(cleanUp);

  function configOf(place: string, changes: object): object {
    return {
      listen_address: "127.0.0.1:0",
      "authorizer.listen_address": "127.0.0.1:0",
      "authorizer.metrics_address": "127.0.0.1:0",
      "authorizer.node_name": "node-1",
      "authorizer.datasets": [join(place, "in-force.json")],
      "database.type": "mem",
      "auth.encrypt.secret_key": "a-secret-key-that-only-this-test-knows-0123456789",
      "auth.api.token": TOKEN,
      ...changes,
    };
  }

  it("answers as without it, and reports what every entrance would change", async () => {
    const answers = await askEverywhere(program.service);
    const plain = writeConfig(folder, configOf(folder, {}), "plain.yaml");
    const without = await start(["--config", plain], folder);
    expect(withoutIds(answers)).toEqual(withoutIds(await askEverywhere(without.service)));
    await without.end();

    const report = await eventually(program.user, ({ wider }) => wider >= ENTRANCES.length);
    expect(report).toMatchObject({
      node: "node-1",
      candidate: { kind: "data_set" },
      share: 1,
      dropped: 0,
      failed: 0,
      wider: ENTRANCES.length,
      narrower: ENTRANCES.length,
    });
    expect(new Set(report.differences.map(({ entrance }) => entrance))).toEqual(new Set(ENTRANCES));
    const group = (change: string, statement: number, sid: string) => ({
      change,
      side: "added",
      statement: { policy: "Read", statement, sid },
      count: ENTRANCES.length,
    });
    expect(report.groups).toHaveLength(2);
    expect(report.groups).toEqual(
      expect.arrayContaining([group("narrower", 2, "Secret"), group("wider", 1, "More")]),
    );
    const text = await svcctl(["shadow", "report", "--examples", "1"], environment(program.user));
    expect(text.stdout).toContain("narrower: 5 of the last differences by Read, statement 2 (Secret)");
    const metrics = await (await fetch(`${program.metrics}/metrics`)).text();
    expect(metrics).toContain('svc_authorizer_shadow_differences_total{effect="allow"} 5');
    expect(metrics).toContain('svc_authorizer_shadow_differences_total{effect="deny"} 5');
  });

  it("is compared by all workers, whose counts are one report", async () => {
    const config = configOf(folder, {
      "authorizer.shadow.candidate": candidate,
      "authorizer.workers": 2,
      "database.type": "local",
      "database.local.path": join(folder, "data"),
    });
    const fleet = await start(["--config", writeConfig(folder, config, "fleet.yaml")], folder);
    for (let round = 0; round < 4; round++) await askEverywhere(fleet.service);
    const report = await eventually(fleet.user, ({ wider }) => wider >= 4 * ENTRANCES.length);
    expect(report).toMatchObject({ wider: 4 * ENTRANCES.length, narrower: 4 * ENTRANCES.length });
    expect(await fleet.end()).toBe(0);
  });

  it("is loaded again when its files change, and stays while they are faulty", async () => {
    const before = await reportOf(program.user);
    writeFileSync(join(candidate, "all.json"), JSON.stringify(dataset([statement("allow", object("none"))])));
    const changed = await eventually(
      program.user,
      (report) => report.candidate?.loaded_at !== before.candidate?.loaded_at,
    );
    expect(changed).toMatchObject({ wider: 0, narrower: 0 });
    await post(program.service, "/access/v1/check", check("alice", "data/object/a"));
    const report = await eventually(program.user, ({ narrower }) => narrower === 1);
    expect(report.groups).toEqual([
      { change: "narrower", side: "removed", statement: { policy: "Read", statement: 0 }, count: 1 },
    ]);

    writeFileSync(join(candidate, "all.json"), '{"format": 1, "users": [{"name": "alice"}]}');
    program.child.kill("SIGHUP");
    const faulty = await eventually(program.user, ({ error }) => error !== undefined);
    expect(faulty.error).toContain("all.json");
    expect(faulty.candidate).toEqual(report.candidate);
    expect(faulty.narrower).toBe(1);
  });
});

describe("a shadow candidate", () => {
  let authorizer: TestAuthorizer | undefined;
  afterEach(async () => {
    await authorizer?.close();
    authorizer = undefined;
  });
  afterAll(cleanUp);

  async function open(config: ConfigObject): Promise<TestAuthorizer> {
    authorizer = await startAuthorizer({
      dataset: IN_FORCE as never,
      config: { "authorizer.node_name": "node-1", ...config },
    });
    return authorizer;
  }

  it("that has policies only stands for the directory of the service with these in place", async () => {
    const folder = newFolder();
    writeFileSync(join(folder, "Read.json"), JSON.stringify({ statement: CHANGED }));
    const { url, userUrl, token, directory } = await open({ "authorizer.shadow.candidate": folder });
    await askEverywhere(url, token);
    const report = await eventually(userUrl, ({ wider }) => wider >= ENTRANCES.length);
    expect(report).toMatchObject({ candidate: { kind: "policies" }, wider: 5, narrower: 5 });
    // Changes of the directory count on both sides: bob gets the policy, carol stays unknown to both.
    await directory.users.create({ username: "bob" });
    await directory.groups.addMember("Readers", "bob");
    for (const user of ["bob", "carol"]) {
      await post(url, "/access/v1/check", check(user, "data/object/secret"), token);
    }
    const later = await eventually(userUrl, ({ narrower }) => narrower > 5);
    expect(later).toMatchObject({ wider: 5, narrower: 6 });
    expect(later.differences[0]).toMatchObject({ user: "bob", effect: "deny" });
  });

  it("that cannot be read leaves the service as it is, and is used when it can be", async () => {
    const file = join(newFolder(), "candidate.json");
    const { url, userUrl, token } = await open({ "authorizer.shadow.candidate": file });
    expect(await post(url, "/access/v1/check", check("alice", "data/object/a"), token)).toMatchObject({
      allowed: true,
    });
    expect(await reportOf(userUrl)).toMatchObject({ candidate: null, decisions: 0 });
    writeFileSync(file, JSON.stringify(dataset(CHANGED)));
    const report = await eventually(userUrl, ({ candidate }) => candidate !== null);
    expect(report.error).toBeUndefined();
    rmSync(file);
  });

  it("gets a share of the decisions", async () => {
    const file = join(newFolder(), "candidate.json");
    writeFileSync(file, JSON.stringify(dataset(CHANGED)));
    const { url, userUrl, token } = await open({
      "authorizer.shadow.candidate": file,
      "authorizer.shadow.share": 0.2,
    });
    const resources = Array.from({ length: 1_000 }, (_, index) => object(`more/object/${index}`));
    await post(url, "/access/v1/filter", { user: "alice", action: "fs:ReadObject", resources }, token);
    const { decisions } = await eventually(userUrl, (report) => report.decisions > 100);
    expect(decisions).toBeGreaterThan(100);
    expect(decisions).toBeLessThan(350);
  });

  it.each([
    [["/subject/id", "/resource/arn"], ["alice", "/object/"], "fs:ReadObject"],
    [["/action"], ["ReadObject"], "alice"],
    [["/*/id", "/operation", "/required"], ["alice", "/object/", "getObject", '"and'], "narrower"],
  ])("is reported without what the decision log masks: %j", async (mask, hidden, shown) => {
    const file = join(newFolder(), "candidate.json");
    writeFileSync(file, JSON.stringify(dataset(CHANGED)));
    const directory = newFolder();
    const { url, userUrl, token } = await open({
      "authorizer.shadow.candidate": file,
      "authorizer.decision_log.include": "all",
      "authorizer.decision_log.directory": directory,
      "authorizer.decision_log.mask": mask,
    });
    await askEverywhere(url, token);
    const tree = {
      and: [
        check("alice", "data/object/s").required,
        { or: [{ any_resource: { action: "fs:ReadObject" } }] },
      ],
    };
    await post(url, "/access/v1/check", { user: "alice", required: tree }, token);
    const report = await eventually(userUrl, ({ narrower }) => narrower > ENTRANCES.length);
    expect(report.narrower).toBe(ENTRANCES.length + 1);
    const text = JSON.stringify(report.differences);
    for (const one of hidden) expect(text).not.toContain(one);
    expect(text).toContain(shown);
  });

  it("is reported only to who may read decisions, and only where there is one", async () => {
    const { userUrl, directory } = await open({});
    const none = await svcctl(["shadow", "report"], environment(userUrl));
    expect(none.code).toBe(1);
    expect(none.stderr).toContain("authorizer.shadow.candidate");
    await directory.policies.update({ name: "All", statement: [statement("allow", "*")] });
    const refused = await svcctl(["shadow", "report"], environment(userUrl));
    expect(refused.stderr).toContain("auth:ReadDecisions");
  });
});
