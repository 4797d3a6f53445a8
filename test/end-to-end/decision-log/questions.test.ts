import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { svcctl } from "../../../packages/svcctl/test/run-svcctl.ts";
import { cleanUp, newFolder, whileRepeated } from "../program.ts";

const SECRET = "a-secret-of-root-0123456789";
const KEYS = { root: "AKIAJROOTROOTROOTROQ", alice: "AKIAJALICEALICEALICQ" };
const object = (id: string) => `arn:svc:fs:::repository/${id}`;

let authorizer: TestAuthorizer;

beforeAll(async () => {
  authorizer = await startAuthorizer({
    dataset: {
      format: 1,
      users: [
        { username: "alice", policies: ["ReadData"] },
        { username: "root", policies: ["All"] },
      ],
      policies: [
        {
          name: "ReadData",
          statement: [{ effect: "allow", action: ["fs:ReadObject"], resource: object("data/object/*") }],
        },
        { name: "All", statement: [{ effect: "allow", action: ["*"], resource: "*" }] },
      ],
    } as never,
    config: {
      "authorizer.decision_log.include": "all",
      "authorizer.decision_log.directory": newFolder(),
      "authorizer.node_name": "node-1",
    },
  });
  for (const user of ["root", "alice"] as const) {
    await authorizer.directory.credentials.create(user, {
      access_key_id: KEYS[user],
      secret_access_key: SECRET,
    });
  }
});
afterAll(async () => {
  await authorizer.close();
  cleanUp();
});

function run(args: readonly string[], user: "root" | "alice" = "root") {
  return svcctl(args, {
    env: {
      SVCCTL_SERVER_ENDPOINT_URL: authorizer.userUrl,
      SVCCTL_CREDENTIALS_ACCESS_KEY_ID: KEYS[user],
      SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: SECRET,
    },
  });
}

/** The revision that answers name. */
async function newestRevision(): Promise<string> {
  const [{ revision }] = (await svcctlRecords()) as [{ revision: number }];
  return String(revision);
}

async function svcctlRecords(): Promise<readonly object[]> {
  await check("root", "data/object/now");
  const { stdout } = await run(["decisions", "list", "--amount", "1", "--json"]);
  return (JSON.parse(stdout) as { results: readonly object[] }).results;
}

function check(user: string, id: string) {
  return authorizer.client.check({ user, required: { action: "fs:ReadObject", resource: object(id) } });
}

async function found(args: readonly string[]): Promise<readonly Record<string, unknown>[]> {
  const { code, stdout, stderr } = await run(["decisions", "list", "--all", "-o", "json", ...args]);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as Record<string, unknown>[];
}

describe("records of decisions", () => {
  it("are listed newest first, by subject, resource, decision, policy and time", async () => {
    await check("alice", "data/object/a");
    await check("alice", "other/object/a");
    await check("bob", "data/object/a");
    const entries = (await found(["--action", "fs:*"])).map(({ subject, effect }) => [subject, effect]);
    expect(entries).toEqual([
      ["bob", "neutral"],
      ["alice", "neutral"],
      ["alice", "allow"],
    ]);
    expect(await found(["--subject", "al*", "--decision", "deny"])).toHaveLength(1);
    expect(await found(["--policy", "ReadData"])).toMatchObject([{ policies: ["ReadData"] }]);
    expect(await found(["--resource", "*/other/*"])).toHaveLength(1);
    expect(await found(["--until", "1h"])).toEqual([]);
    expect((await found(["--since", "1h"])).length).toBeGreaterThan(3);
    const page = await run(["decisions", "list", "--amount", "1", "--json"]);
    expect(JSON.parse(page.stdout)).toMatchObject({
      node: "node-1",
      chains: ["node-1-0"],
      pagination: { has_more: true, results: 1 },
    });
  });

  it("are explained on the directory of their time", async () => {
    await check("alice", "data/object/then");
    const [{ id }] = (await found(["--resource", "*/then"])) as [{ id: string }];
    await authorizer.directory.policies.update({
      name: "ReadData",
      statement: [{ effect: "deny", action: ["fs:*"], resource: "*" }],
    });
    expect((await check("alice", "data/object/now")).allowed).toBe(false);
    const shown = await run(["decisions", "show", id, "--explain", "--json"]);
    expect(shown.code, shown.stderr).toBe(0);
    expect(JSON.parse(shown.stdout)).toMatchObject({
      record: { id, effect: "allow", determining: [{ policy: "ReadData", statement: 0 }] },
      explanations: [{ effect: "allow", determining: [{ policy: "ReadData", via: [{ user: "alice" }] }] }],
    });
    const text = await run(["decisions", "show", id, "--explain"]);
    expect(text.stdout).toContain("Decided by: ReadData");
    expect((await run(["decisions", "show", "d-unknown"])).code).toBe(1);
  });

  it("are found by the id of each refusal of a batch", async () => {
    const subject = { type: "user", id: "alice" };
    const resources = ["data/a", "other/a", "data/b", "other/b"].map((id) => ({ type: "object", id }));
    const answers = await authorizer.client.evaluateMany({
      subject,
      action: { name: "read" },
      evaluations: [...resources, { type: "none", id: "a" }].map((resource) => ({ resource })),
    });
    const refused = answers.filter(({ decision }) => !decision) as unknown as { context: { id: string } }[];
    const ids = refused.map(({ context }) => context.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThanOrEqual(3);
    const shown = await Promise.all(ids.map((id) => run(["decisions", "show", id, "--json"])));
    for (const [index, { code, stdout, stderr }] of shown.entries()) {
      expect(code, stderr).toBe(0);
      const { record } = JSON.parse(stdout);
      const [batch, place] = (ids[index] as string).split(".");
      expect(record).toMatchObject({ id: batch, entrance: "evaluations" });
      expect(record.items[Number(place)]).toMatchObject({ decision: false });
    }
    const one = await run(["decisions", "show", ids[1] as string]);
    expect(one.stdout).toContain(`Decision: ${ids[1]}\n`);
    expect(one.stdout).toContain(`Resource: ${object("other/object/a")}\n`);
  });

  it("are followed as they are written", async () => {
    const tail = run(["decisions", "tail", "--subject", "carol", "--count", "2", "--json"]);
    // It follows what comes after its start, which nothing announces.
    const { code, stdout, stderr } = await whileRepeated(tail, async () => {
      for (const user of ["carol", "dave", "carol"]) await check(user, "data/object/tail");
    });
    expect(code, stderr).toBe(0);
    const subjects = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).subject.id);
    expect(subjects).toEqual(["carol", "carol"]);
  });

  it.each(["list", "tail"])("are not all of them for an empty filter of %s", async (command) => {
    const { code, stdout, stderr } = await run(["decisions", command, "--subject", "", "--policy", ""]);
    expect([code, stdout]).toEqual([1, ""]);
    for (const filter of ["subject", "policy"]) expect(stderr).toContain(`${filter}: is empty`);
  });

  it("are replayed from the server, under the directory of a revision", async () => {
    await authorizer.directory.users.create({ username: "erin" });
    await authorizer.directory.users.attachPolicy("erin", "ReadData");
    await authorizer.directory.policies.update({
      name: "ReadData",
      statement: [{ effect: "allow", action: ["fs:ReadObject"], resource: object("data/object/*") }],
    });
    const revision = await newestRevision();
    await authorizer.directory.policies.update({
      name: "ReadData",
      statement: [{ effect: "allow", action: ["fs:ReadObject"], resource: object("data/object/a*") }],
    });
    const since = new Date().toISOString();
    for (const id of ["data/object/a1", "data/object/b1", "data/object/b2"]) await check("erin", id);
    const replay = (...args: string[]) => run(["policy", "replay", "--server", ...args, "--json"]);
    const wider = await replay("--since", since, "--from", String(await newestRevision()), "--to", revision);
    expect(wider.code, wider.stderr).toBe(1);
    expect(JSON.parse(wider.stdout)).toMatchObject({
      wider: 2,
      narrower: 0,
      groups: [{ change: "wider", side: "added", policy: "ReadData", count: 2 }],
    });
    const same = await replay("--since", since, "--from", revision, "--to", revision);
    expect(same.code, same.stderr).toBe(0);
    const gone = await replay("--from", "999999", "--to", revision);
    expect(gone.code).toBe(1);
    expect(gone.stderr).toContain("410");
    expect((await run(["policy", "replay", "--from", "1", "--to", "2"])).stderr).toContain("--log");
    const refused = await run(["policy", "replay", "--server", "--from", "1", "--to", "2"], "alice");
    expect(refused.stderr).toContain("auth:ReadDecisions");
  });

  it("are not said to be all where the service ends while they are followed", async () => {
    const statement = [{ effect: "allow", action: ["auth:ReadDecisions"], resource: "*" }];
    const ending = await startAuthorizer({
      dataset: {
        format: 1,
        users: [{ username: "root", policies: ["Reads"] }],
        policies: [{ name: "Reads", statement }],
      } as never,
      config: {
        "authorizer.decision_log.include": "all",
        "authorizer.decision_log.directory": newFolder(),
      },
    });
    const credentials = { access_key_id: KEYS.root, secret_access_key: SECRET };
    await ending.directory.credentials.create("root", credentials);
    const tail = spawn(process.execPath, ["packages/svcctl/bin/svcctl.cjs", "decisions", "tail"], {
      env: {
        HOME: newFolder(),
        SVCCTL_SERVER_ENDPOINT_URL: ending.userUrl,
        SVCCTL_CREDENTIALS_ACCESS_KEY_ID: KEYS.root,
        SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: SECRET,
      },
    });
    try {
      const [said, ended] = [text(tail.stderr), once(tail, "exit")];
      const required = { action: "fs:ReadObject", resource: object("data/object/a") };
      await whileRepeated(once(tail.stdout, "data"), () => ending.client.check({ user: "zoe", required }));
      await ending.close();
      expect(await ended).toEqual([1, null]);
      expect(await said).toContain("the server ended the stream");
    } finally {
      tail.kill();
      await ending.close();
    }
  });

  it("say that a decision of a batch is not in its record, and do not show others in its place", async () => {
    const answer = await fetch(`${authorizer.url}/access/v1/evaluations`, {
      method: "POST",
      headers: { authorization: `Bearer ${authorizer.token}`, "content-type": "application/json" },
      body: JSON.stringify({
        subject: { type: "user", id: "alice" },
        action: { name: "fs:ReadObject" },
        evaluations: ["data/object/a", "other/object/b"].map((id) => ({
          resource: { type: "arn", id: object(id) },
        })),
      }),
    });
    const { evaluations } = (await answer.json()) as { evaluations: { context?: { id: string } }[] };
    const id = String(evaluations[1]?.context?.id);
    await expect.poll(async () => (await run(["decisions", "show", id])).code).toBe(0);
    const elsewhere = id.replace(/\.\d+$/, ".7");
    for (const options of [[], ["--explain"], ["--explain", "--json"]]) {
      const shown = await run(["decisions", "show", elsewhere, ...options]);
      expect(shown.code).toBe(1);
      expect(shown.stderr).toContain("has its first 2 decisions (authorizer.decision_log.items)");
      if (!options.includes("--json")) expect(shown.stdout).not.toContain("Required");
    }
  });

  it("are not followed for less than one", async () => {
    for (const log of ["decisions", "audit"]) {
      const { code, stderr } = await run([log, "tail", "--count", "0"]);
      expect(code).toBe(1);
      expect(stderr).toContain("--count 0: expected at least 1");
    }
  });

  it("need auth:ReadDecisions", async () => {
    const refused = await run(["decisions", "list"], "alice");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("auth:ReadDecisions");
    const faulty = await run(["decisions", "list", "--since", "yesterday"]);
    expect(faulty.stderr).toContain("--since yesterday: expected a time");
  });
});
