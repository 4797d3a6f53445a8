import { readFileSync, writeFileSync } from "node:fs";
import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { describe, expect, it } from "vitest";
import { type DatasetProgress, type LoadOptions, loadDatasets } from "../../src/datasets/load-datasets.ts";
import { formatReport } from "../../src/datasets/report.ts";
import { openTestDirectory } from "../directory/open-test-directory.ts";
import { openedEach } from "../opened.ts";
import { fileFolder } from "./file-folder.ts";
import { largeDataset } from "./large-dataset.ts";
import { plainState } from "./plain-state.ts";

const folder = fileFolder();
const opened = openedEach(() => openTestDirectory());

function load(files: string | readonly string[], options: Partial<LoadOptions> = {}) {
  return loadDatasets({ ...opened, files: [files].flat(), mode: "load", env: () => undefined, ...options });
}

async function problemsOf(promise: Promise<unknown>) {
  const error = await promise.then(() => undefined).catch((reason: unknown) => reason);
  if (!(error instanceof AuthorizerError)) throw error ?? new Error("not refused");
  return error.problems;
}

const state = () => opened.directory.batches.state({ secrets: true });
const policy = (name: string, action = "fs:*") => ({
  name,
  statement: [{ effect: "allow", action: [action], resource: "*" }],
});

describe("loading", () => {
  it("the quick start brings its people, the preconfigured set, and resources", async () => {
    const report = await load("fixtures/datasets/quickstart.yaml");
    const { users, groups, policies, resources } = await state();
    expect([...users.keys()]).toEqual(["alice", "bob", "carol", "dave"]);
    expect([...groups.keys()]).toEqual(["Admins", "Developers", "SalesTeam", "SuperUsers", "Viewers"]);
    expect(policies.size).toBe(13);
    expect([...(resources.get("repository")?.keys() ?? [])]).toEqual([
      "sales",
      "sandbox-alice",
      "sandbox-dave",
    ]);
    const principal = await opened.directory.principal("alice");
    expect(principal?.properties).toEqual({ department: "sales" });
    expect(principal?.policies.map(({ name }) => name)).toContain("FSReadWriteAll");
    expect(report.counts).toEqual({ add: report.changes.length, change: 0, remove: 0, keep: 0 });
  });

  it("the example of the documentation is a valid data set", async () => {
    const example = /```yaml\n(.*?)```/s.exec(readFileSync("docs/datasets.md", "utf8"))?.[1] ?? "";
    const report = await load(folder.write("documented.yaml", example), { env: () => "a secret" });
    expect([...report.changes]).toContainEqual({
      action: "add",
      kind: "membership",
      name: "alice in Developers",
    });
  });

  it("the example of the contract: a file's own group takes the place of a preconfigured one", async () => {
    await load("fixtures/datasets/contract.yaml");
    const { users, groups, resources } = await state();
    expect([...(groups.get("Developers")?.policies.keys() ?? [])]).toEqual(["FSReadWriteAll"]);
    expect(groups.get("Developers")?.group.value.description).toBe("…");
    expect(groups.size).toBe(4);
    expect([...(users.get("alice")?.externalPrincipals.keys() ?? [])]).toEqual([
      "arn:aws:sts::123:assumed-role/x",
    ]);
    expect(resources.get("record")?.get("record-1")?.value.properties).toEqual({ status: "active" });
  });

  it("the roles have one user in each preconfigured group", async () => {
    await load("fixtures/datasets/roles.yaml");
    const { users } = await state();
    expect([...users].map(([name, user]) => [name, ...user.groups.keys()])).toEqual([
      ["admin", "Admins"],
      ["developer", "Developers"],
      ["superuser", "SuperUsers"],
      ["viewer", "Viewers"],
    ]);
  });

  it("the large data set has 1,000 users, 20 groups and 1,000 statements for each", async () => {
    await load(folder.write("large.json", largeDataset()));
    const { users, groups, policies } = await state();
    expect([users.size, groups.size]).toEqual([1_000, 20]);
    expect([...policies.values()].reduce((sum, { value }) => sum + value.statement.length, 0)).toBe(20_000);
    const principal = await opened.directory.principal("user-000777");
    expect(principal?.policies.reduce((sum, { statement }) => sum + statement.length, 0)).toBe(1_000);
  });

  it("twice changes nothing the second time", async () => {
    await load("fixtures/datasets/quickstart.yaml");
    const before = plainState(await state());
    const second = await load("fixtures/datasets/quickstart.yaml");
    expect([...second.changes]).toEqual([]);
    expect(plainState(await state())).toEqual(before);
  });

  it("several files are one data set, whatever their order", async () => {
    const people = folder.write("people.json", {
      format: 1,
      users: [{ username: "alice", groups: ["Team"] }],
    });
    const team = folder.write("team.yaml", "format: 1\ngroups: [{name: Team, policies: [P]}]\n");
    const policies = folder.write("policies.json", { format: 1, policies: [policy("P")] });
    await load([people, team, policies]);
    expect((await opened.directory.principal("alice"))?.policies.map(({ name }) => name)).toEqual(["P"]);
  });

  it("leaves what exists as it is, says what differs, and adds what a file gives to it", async () => {
    await opened.directory.users.create({ username: "alice", email: "old@example.com", friendly_name: "Al" });
    await opened.directory.policies.create(policy("P", "fs:ReadObject"));
    const file = folder.write("existing.json", {
      format: 1,
      users: [{ username: "alice", email: "new@example.com", policies: ["P"] }],
      policies: [policy("P", "fs:*")],
    });
    const report = await load(file);
    expect([...formatReport(report)]).toEqual([
      "= policy P (kept, differs in: statement)",
      "= user alice (kept, differs in: email)",
      "+ attachment P to user alice",
      "load of 1 file: 1 added, 0 changed, 0 removed, 2 kept as they are; applied",
    ]);
    const { users, policies } = await state();
    expect(users.get("alice")?.user.value).toMatchObject({ email: "old@example.com", friendly_name: "Al" });
    expect(users.get("alice")?.policies.size).toBe(1);
    expect(policies.get("P")?.value.statement[0]?.action).toEqual(["fs:ReadObject"]);
  });

  it("leaves what somebody else made since it looked as it is", async () => {
    const { users, groups, policies, credentials, batches } = opened.directory;
    const key = { access_key_id: "AKIAJOFANOTHERAAAAAQ", secret_access_key: "of the file" };
    const arn = (name: string) => `arn:svc:demo:::${name}/{id}`;
    const type = (name: string) => ({
      type: "record",
      arn: arn(name),
      id: "{id}",
      actions: { read: "demo:R" },
    });
    const resource = (owner: string) => ({ type: "record", id: "one", properties: { owner } });
    const file = folder.write("meanwhile.json", {
      format: 1,
      users: [{ username: "alice", email: "a@example.com", groups: ["Team"], credentials: [key] }],
      groups: [{ name: "Team", description: "of the file" }],
      policies: [policy("P")],
      resource_types: [type("records")],
      resources: [resource("file")],
    });
    const { apply } = batches;
    batches.apply = async (...asked) => {
      batches.apply = apply;
      await users.create({ username: "alice", email: "another@example.com" });
      await credentials.create("alice", { ...key, secret_access_key: "another" });
      await groups.create({ name: "Team", description: "another" });
      await policies.create(policy("P", "fs:Read*"));
      await apply(
        [
          { op: "put_resource_type", resourceType: type("others") },
          { op: "put_resource", resource: resource("another") },
        ],
        { managed: false },
      );
      return apply(...asked);
    };
    const report = await load(file);
    expect(report.left).toBe(6);
    expect([...formatReport(report)].at(-1)).toContain(
      "applied, but for 6 that others made or changed meanwhile; run it again to see what differs",
    );
    const after = await state();
    const alice = after.users.get("alice")!;
    expect(alice.user.value.email).toBe("another@example.com");
    expect(alice.credentials.get(key.access_key_id)?.value.secret_access_key).toBe("another");
    expect([...alice.groups.keys()]).toEqual(["Team"]);
    expect(after.groups.get("Team")?.group.value.description).toBe("another");
    expect(after.policies.get("P")?.value.statement[0]?.action).toEqual(["fs:Read*"]);
    expect(after.resourceTypes.get("record")?.value.arn).toBe(arn("others"));
    expect(after.resources.get("record")?.get("one")?.value.properties).toEqual({ owner: "another" });
  });

  it("gives a preconfigured group that somebody made meanwhile no policies", async () => {
    const { groups, batches } = opened.directory;
    const { apply } = batches;
    batches.apply = async (...asked) => {
      batches.apply = apply;
      await groups.create({ name: "Admins" });
      return apply(...asked);
    };
    const report = await load(folder.write("preconfigured.json", { format: 1, preconfigured: true }));
    const after = await state();
    expect(after.groups.get("Admins")?.policies.size).toBe(0);
    expect(after.groups.get("Viewers")?.policies.size).toBeGreaterThan(0);
    expect(after.policies.has("AuthFullAccess")).toBe(true);
    expect(report.left).toBeGreaterThan(1);
  });

  it("does not give back what somebody took from a preconfigured group", async () => {
    await load("fixtures/datasets/roles.yaml");
    await opened.directory.groups.detachPolicy("Admins", "AuthFullAccess");
    await opened.directory.policies.update(policy("FSFullAccess", "fs:ReadObject"));
    const report = await load("fixtures/datasets/roles.yaml");
    expect([...formatReport(report)]).toEqual([
      "= policy FSFullAccess (kept, differs in: statement)",
      "= attachment AuthFullAccess to group Admins (stays detached)",
      "load of 1 file: 0 added, 0 changed, 0 removed, 2 kept as they are; nothing to do",
    ]);
    expect((await state()).groups.get("Admins")?.policies.has("AuthFullAccess")).toBe(false);
  });

  it("refers to what exists in the directory", async () => {
    await opened.directory.policies.create(policy("Existing"));
    await opened.directory.groups.create({ name: "Old" });
    const user = { username: "alice", groups: ["Old"], policies: ["Existing"] };
    await load(folder.write("refers.json", { format: 1, users: [user] }));
    expect((await opened.directory.principal("alice"))?.policies).toHaveLength(1);
  });

  it("a dry run says what a load would do, and writes nothing", async () => {
    const dry = await load("fixtures/datasets/quickstart.yaml", { dryRun: true });
    expect((await state()).users.size).toBe(0);
    const real = await load("fixtures/datasets/quickstart.yaml");
    expect({ ...dry, changes: [...dry.changes] }).toEqual({
      ...real,
      changes: [...real.changes],
      dryRun: true,
    });
  });

  it("takes secrets from the environment and never shows them", async () => {
    const seen: string[] = [];
    const env = (name: string) => {
      seen.push(name);
      return "from-the-environment";
    };
    const report = await load("fixtures/datasets/records.json", { env });
    expect(seen).toEqual(["RITA_SECRET"]);
    const key = await opened.directory.credentials.getWithSecret("AKIAJRITAAAAAAAAAAAQ");
    expect(key).toMatchObject({ username: "rita", secret_access_key: "from-the-environment" });
    expect(JSON.stringify(report)).not.toContain("from-the-environment");
  });

  it("refuses what belongs to another user of the directory", async () => {
    await opened.directory.users.create({ username: "eve", external_id: "rita@idp" });
    await opened.directory.credentials.create("eve", {
      access_key_id: "AKIAJRITAAAAAAAAAAAQ",
      secret_access_key: "x",
    });
    await opened.directory.externalPrincipals.create(
      "eve",
      "arn:aws:sts::123456789012:assumed-role/reader/rita",
    );
    const problems = await problemsOf(load("fixtures/datasets/records.json", { env: () => "x" }));
    expect(problems.map(({ pointer, message }) => [pointer, message])).toEqual([
      ["/users/0/external_id", 'this external id belongs to user "eve" of the directory'],
      ["/users/0/external_principals/0", 'this external principal belongs to user "eve" of the directory'],
      ["/users/0/credentials/0/access_key_id", 'this access key belongs to user "eve" of the directory'],
    ]);
  });

  it("names that objects inherit are names like others", async () => {
    const text = `{"format": 1,
      "users": [{"username": "__proto__", "groups": ["constructor"], "properties": {"__proto__": {"x": 1}}}],
      "groups": [{"name": "constructor", "policies": ["toString"]}],
      "policies": [{"name": "toString", "statement": [{"effect": "deny", "action": ["*"], "resource": "*"}]}]}`;
    await load(folder.write("inherited.json", text));
    const principal = await opened.directory.principal("__proto__");
    expect(principal?.policies.map(({ name }) => name)).toEqual(["toString"]);
    expect(JSON.stringify(principal?.properties)).toBe('{"__proto__":{"x":1}}');
  });

  it("reports progress through reading, checking and applying", async () => {
    const phases = new Set<DatasetProgress["phase"]>();
    await load("fixtures/datasets/quickstart.yaml", { onProgress: ({ phase }) => phases.add(phase) });
    expect([...phases]).toEqual(["read", "check", "apply"]);
  });
});

describe("what is refused", () => {
  it("a problem in one of several files: nothing of any of them is loaded", async () => {
    const bad = folder.write("bad.yaml", "format: 1\nusers:\n  - username: ''\n");
    const problems = await problemsOf(load(["fixtures/datasets/roles.yaml", bad, "nowhere/*.yaml"]));
    expect(problems).toEqual([
      { file: "nowhere/*.yaml", pointer: "", message: "the glob matches no file" },
      { file: bad, pointer: "/users/0/username", message: "must not be empty", line: 3, column: 15 },
    ]);
    expect((await state()).users.size).toBe(0);
  });

  it("problems beyond 1,000 are counted", async () => {
    const users = Array.from({ length: 2_500 }, (_, index) => ({ username: `u${index}`, groups: ["none"] }));
    const problems = await problemsOf(load(folder.write("many.json", { format: 1, users })));
    expect(problems).toHaveLength(1_001);
    expect(problems[999]).toMatchObject({ pointer: "/users/999/groups/0", line: 1 });
    expect(problems[1_000]).toEqual({ pointer: "", message: "and 1500 more" });
  });

  it("problems of form are found in every part of a long section", async () => {
    const users = Array.from({ length: 1_203 }, (_, index) => ({
      username: index % 600 === 599 ? "" : `u${index}`,
    }));
    const problems = await problemsOf(load(folder.write("form.json", { format: 1, users })));
    expect(problems.map(({ pointer }) => pointer)).toEqual(["/users/599/username", "/users/1199/username"]);
  });

  it.each([
    ["text.txt", "{}", "a data set file ends in .json, .yaml or .yml"],
    [
      "big.yaml",
      `format: 1\n#${"x".repeat(5 * 1024 * 1024)}`,
      expect.stringMatching(
        /^YAML over 5 MiB is not read: write the data set as JSON, such as with yq -o=json '.*big\.yaml' > '.*big\.json'$/,
      ),
    ],
    ["list.json", "[]", "must be object"],
    ["null.yaml", "", "must be object"],
    [
      "number.json",
      '{"format": 1, "users": [{"username": "a", "properties": {"n": "\\ud800"}}]}',
      "the text holds half of a surrogate pair",
    ],
    ["infinite.yaml", "format: 1\nusers: [{username: a, properties: {n: .inf}}]", "the number is not finite"],
    ["deep.json", `{"format": 1, "x": ${"[".repeat(40)}${"]".repeat(40)}}`, "nested deeper than 32 levels"],
  ])("%s", async (name, content, message) => {
    const problems = await problemsOf(load(folder.write(name, content)));
    expect(problems.map((problem) => problem.message)).toEqual([message]);
  });

  it("a file that is not UTF-8; a byte order mark is no problem", async () => {
    const file = folder.write("latin1.json", "");
    writeFileSync(file, Buffer.from('{"format": 1, "users": [{"username": "andr\u00e9"}]}', "latin1"));
    expect(await problemsOf(load(file))).toEqual([{ file, pointer: "", message: "the file is not UTF-8" }]);
    await load(folder.write("mark.json", '\ufeff{"format": 1, "users": [{"username": "andré"}]}'));
    await load(folder.write("mark.yaml", "\ufeffformat: 1\nusers: [{username: zoë}]\n"));
    expect([...(await state()).users.keys()]).toEqual(["andré", "zoë"]);
  });

  it("no file at all", async () => {
    await expect(load([])).rejects.toMatchObject({ code: "invalid_request" });
  });

  it("the partition of another product, with a hint", async () => {
    const catalog = await openCatalog({ partition: "lake" });
    const statement = (resource: string) => [{ effect: "allow", action: ["fs:*"], resource }];
    const file = folder.write("partition.json", {
      format: 1,
      policies: [
        { name: "Ours", statement: statement("arn:lake:fs:::repository/x") },
        { name: "Theirs", statement: statement("arn:svc:fs:::repository/x") },
      ],
    });
    const [problem, ...more] = await problemsOf(load(file, { catalog }));
    expect(more).toEqual([]);
    expect(problem?.pointer).toBe("/policies/1/statement/0/resource");
    expect(problem?.message).toContain(
      'data sets are written in the configured partition, "lake" here, not "svc"',
    );
  });

  it("wildcards in user names, unless guards are lenient", async () => {
    const lenient = await openTestDirectory({ guards: "lenient" });
    const file = folder.write("wild.json", { format: 1, users: [{ username: "a*" }] });
    expect(await problemsOf(load(file))).toHaveLength(1);
    await load(file, { ...lenient, guards: "lenient" });
    expect((await lenient.directory.batches.state({ secrets: false })).users.has("a*")).toBe(true);
    await lenient.close();
  });
});
