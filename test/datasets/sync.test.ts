import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type LoadOptions, loadDatasets } from "../../src/datasets/load-datasets.ts";
import { formatReport } from "../../src/datasets/report.ts";
import { openTestDirectory } from "../directory/open-test-directory.ts";
import { openedEach } from "../opened.ts";
import { arbitraryDataset } from "./arbitrary-dataset.ts";
import { fileFolder } from "./file-folder.ts";
import { plainState } from "./plain-state.ts";

const folder = fileFolder();
const opened = openedEach(() => openTestDirectory());

function sync(dataset: object, options: Partial<LoadOptions> = {}) {
  const file = folder.write("sync.json", { format: 1, ...dataset });
  return loadDatasets({ ...opened, files: [file], mode: "sync", env: () => undefined, ...options });
}

const changesOf = async (report: ReturnType<typeof sync>) => [...formatReport(await report)].slice(0, -1);
const state = () => opened.directory.batches.state({ secrets: true });
const policy = (name: string, action = "fs:*") => ({
  name,
  statement: [{ effect: "allow", action: [action], resource: "*" }],
});
const user = (username: string, more: object = {}) => ({ username, ...more });
const RECORD = {
  type: "record",
  arn: "arn:svc:demo:::record/{id}",
  id: "{id}",
  actions: { read: "demo:Read" },
};

describe("a sync", () => {
  it("changes what differs, removes what it made and no file names, and says so", async () => {
    await sync({
      users: [
        user("alice", { email: "a@example.com", groups: ["Team"], policies: ["P"] }),
        user("bob", { groups: ["Team"] }),
      ],
      groups: [{ name: "Team", description: "old", policies: ["P"] }],
      policies: [policy("P"), policy("Q")],
    });
    const report = sync(
      {
        users: [
          user("alice", { friendly_name: "Alice", policies: ["P"] }),
          user("carol", { groups: ["Team"] }),
        ],
        groups: [{ name: "Team", description: "new" }],
        policies: [policy("P", "fs:Read*")],
      },
      { yes: true },
    );
    expect(await changesOf(report)).toEqual([
      "- membership alice in Team",
      "- attachment P to group Team",
      "- user bob",
      "- policy Q",
      "~ policy P (statement)",
      "~ group Team (description)",
      "~ user alice (email, friendly_name)",
      "+ user carol",
      "+ membership carol in Team",
    ]);
    const { users, groups, policies } = await state();
    expect([...users.keys()]).toEqual(["alice", "carol"]);
    expect(users.get("alice")?.user.value).not.toHaveProperty("email");
    expect(groups.get("Team")?.policies.size).toBe(0);
    expect([...policies.keys()]).toEqual(["P"]);
  });

  it("removes nothing that it did not make", async () => {
    const { users, groups, policies, credentials } = opened.directory;
    await users.create({ username: "admin" });
    await groups.create({ name: "Old" });
    await policies.create(policy("Old"));
    await groups.addMember("Old", "admin");
    await sync({ users: [user("alice", { groups: ["Old"] })], groups: [{ name: "Team" }] });
    await groups.addMember("Team", "admin");
    await users.attachPolicy("alice", "Old");
    await credentials.create("alice", { access_key_id: "AKIAJBYHANDAAAAAAAAQ", secret_access_key: "x" });
    expect(await changesOf(sync({ users: [user("alice")], groups: [{ name: "Team" }] }))).toEqual([
      "- membership alice in Old",
    ]);
    const after = await state();
    expect([...(after.users.get("admin")?.groups.keys() ?? [])]).toEqual(["Old", "Team"]);
    expect(after.users.get("alice")?.policies.has("Old")).toBe(true);
    expect(after.users.get("alice")?.credentials.size).toBe(1);
  });

  it("removes nothing that somebody else made since it looked", async () => {
    const { users, groups, policies, externalPrincipals, batches } = opened.directory;
    const key = { access_key_id: "AKIAJOFANOTHERAAAAAQ", secret_access_key: "first" };
    await sync({
      users: [
        user("alice", { groups: ["Team"], policies: ["P"], credentials: [key], external_principals: ["p"] }),
        user("bob"),
        user("carol"),
        user("dave"),
      ],
      groups: [{ name: "Team", policies: ["P"] }, { name: "Gone" }],
      policies: [policy("P"), policy("Q")],
      resource_types: [RECORD],
      resources: [{ type: "record", id: "record-1" }],
    });
    const { apply } = batches;
    batches.apply = async (...asked) => {
      batches.apply = apply;
      await users.delete("alice");
      await users.delete("bob");
      await groups.delete("Gone");
      await policies.delete("Q");
      await users.create({ username: "alice" });
      await users.create({ username: "bob" });
      await groups.create({ name: "Gone" });
      await policies.create(policy("Q", "fs:Read*"));
      await groups.addMember("Team", "alice");
      await users.attachPolicy("alice", "P");
      await opened.directory.credentials.create("alice", key);
      await externalPrincipals.create("alice", "p");
      await groups.detachPolicy("Team", "P");
      await groups.attachPolicy("Team", "P");
      return apply(...asked);
    };
    const wanted = [user("alice"), user("carol")];
    const files = { users: wanted, groups: [{ name: "Team" }], policies: [policy("P")] };
    const { left } = await sync(files, { yes: true });
    // Bob, Gone, Q, and of alice a membership, an attachment, a key and a principal; the attachment of Team.
    expect(left).toBe(8);
    const after = await state();
    expect([...after.users.keys()]).toEqual(["alice", "bob", "carol"]);
    expect([...after.groups.keys()]).toEqual(["Gone", "Team"]);
    expect([...after.policies.keys()]).toEqual(["P", "Q"]);
    expect(after.resources.size + after.resourceTypes.size).toBe(0);
    const alice = after.users.get("alice")!;
    const { credentials, externalPrincipals: principals } = alice;
    expect([alice.groups, alice.policies, credentials, principals].map(({ size }) => size)).toEqual([
      1, 1, 1, 1,
    ]);
    expect([...after.groups.get("Team")!.policies.keys()]).toEqual(["P"]);
  });

  it("does not give back what somebody took from a preconfigured group that it made", async () => {
    await sync({ preconfigured: true });
    await opened.directory.groups.detachPolicy("Admins", "AuthFullAccess");
    expect(await changesOf(sync({ preconfigured: true }))).toEqual([
      "= attachment AuthFullAccess to group Admins (stays detached)",
    ]);
    expect((await state()).groups.get("Admins")?.policies.has("AuthFullAccess")).toBe(false);
  });

  it("leaves what is preconfigured and somebody else made since it looked", async () => {
    const { groups, policies, batches } = opened.directory;
    const { apply } = batches;
    batches.apply = async (...asked) => {
      batches.apply = apply;
      await groups.create({ name: "Viewers", description: "another" });
      await policies.create(policy("FSReadAll", "fs:ReadObject"));
      return apply(...asked);
    };
    const { left } = await sync({ preconfigured: true });
    const after = await state();
    expect(after.groups.get("Viewers")?.group).toMatchObject({
      managed: false,
      value: { description: "another" },
    });
    expect(after.groups.get("Viewers")?.policies.size).toBe(0);
    expect(after.policies.get("FSReadAll")).toMatchObject({
      managed: false,
      value: policy("FSReadAll", "fs:ReadObject"),
    });
    expect(left).toBeGreaterThan(2);
    const { changes } = await sync({ preconfigured: true });
    expect(new Set([...changes].map(({ action }) => action))).toEqual(new Set(["keep"]));
  });

  it("does not remove what a load made", async () => {
    const file = folder.write("loaded.json", { format: 1, users: [user("alice")] });
    await loadDatasets({ ...opened, files: [file], mode: "load", env: () => undefined });
    await sync({ users: [user("bob"), user("carol"), user("dave")] });
    expect(await changesOf(sync({ users: [user("bob"), user("carol")] }))).toEqual(["- user dave"]);
    expect([...(await state()).users.keys()]).toEqual(["alice", "bob", "carol"]);
  });

  it("keeps creation dates, password hashes and ACL labels, which files do not name", async () => {
    const { users, policies } = opened.directory;
    await users.create({
      username: "alice",
      creation_date: 1_000,
      encryptedPassword: "aGFzaA==",
      email: "x@example.com",
    });
    await policies.create({ ...policy("P"), acl: "Read", creation_date: 2_000 });
    await sync({ users: [user("alice", { friendly_name: "Alice" })], policies: [policy("P", "fs:Read*")] });
    expect(await users.get("alice")).toEqual({
      username: "alice",
      creation_date: 1_000,
      encryptedPassword: "aGFzaA==",
      friendly_name: "Alice",
    });
    expect(await policies.get("P")).toMatchObject({
      acl: "Read",
      creation_date: 2_000,
      statement: [{ action: ["fs:Read*"] }],
    });
  });

  it("removing more than half of what it manages takes a yes; a dry run only says so", async () => {
    const users = ["a", "b", "c", "d"].map((name) => user(name));
    await sync({ users });
    expect((await sync({ users: users.slice(0, 2) })).counts.remove).toBe(2);
    await sync({ users });
    await expect(sync({ users: users.slice(0, 1) })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("sync would remove 3 of the 4 things it manages"),
    });
    expect((await state()).users.size).toBe(4);
    const dry = await sync({ users: users.slice(0, 1) }, { dryRun: true });
    expect([dry.needsYes, dry.counts.remove]).toEqual([true, 3]);
    expect([...formatReport(dry)].at(-1)).toContain("needs --yes");
    await sync({ users: users.slice(0, 1) }, { yes: true });
    expect((await state()).users.size).toBe(1);
  });

  it("refuses a reference to what it would remove", async () => {
    await sync({
      users: [user("alice", { policies: ["P"] })],
      policies: [policy("P")],
      groups: [{ name: "G" }],
    });
    await expect(
      sync({ users: [user("alice", { policies: ["P"] })], groups: [{ name: "G" }] }),
    ).rejects.toMatchObject({
      problems: [
        {
          pointer: "/users/0/policies/0",
          message:
            "a former sync made this policy, and this one would remove it: define it in one of the files",
        },
      ],
    });
  });

  it("moves an access key, an external principal and an external id from one user to another", async () => {
    const key = (secret_access_key: string) => [{ access_key_id: "AKIAJMOVESAAAAAAAAAQ", secret_access_key }];
    await sync({
      users: [
        user("alice", { external_id: "x", credentials: key("first"), external_principals: ["p"] }),
        user("bob", { external_id: "y" }),
      ],
    });
    await sync({
      users: [
        user("alice", { external_id: "y" }),
        user("bob", { external_id: "x", credentials: key("second"), external_principals: ["p"] }),
      ],
    });
    const { credentials, externalPrincipals, users } = opened.directory;
    expect(await credentials.getWithSecret("AKIAJMOVESAAAAAAAAAQ")).toMatchObject({
      username: "bob",
      secret_access_key: "second",
    });
    expect(await externalPrincipals.get("p")).toEqual({ id: "p", username: "bob" });
    expect([(await users.get("alice")).external_id, (await users.get("bob")).external_id]).toEqual([
      "y",
      "x",
    ]);
  });

  it("gives a changed secret to a key, without showing it", async () => {
    const withSecret = (secret_access_key: string) => ({
      users: [user("alice", { credentials: [{ access_key_id: "AKIAJROTATEDAAAAAAAQ", secret_access_key }] })],
    });
    await sync(withSecret("first"));
    expect(await changesOf(sync(withSecret("first")))).toEqual([]);
    expect(await changesOf(sync(withSecret("second")))).toEqual([
      "~ credential AKIAJROTATEDAAAAAAAQ of alice (secret_access_key)",
    ]);
    const key = await opened.directory.credentials.getWithSecret("AKIAJROTATEDAAAAAAAQ");
    expect(key.secret_access_key).toBe("second");
  });

  it("leaves what people accepted unless a file speaks of it, and says so", async () => {
    const accept = [{ rule: "self-escalation", reason: "It is meant." }];
    const accepted = async () => (await state()).policies.get("P")?.value.accept;
    await sync({ policies: [policy("P")] });
    await opened.directory.policies.update({ ...policy("P"), accept });
    expect(await changesOf(sync({ policies: [policy("P")] }))).toEqual([
      "= policy P (kept, differs in: accept)",
    ]);
    expect(await accepted()).toEqual(accept);
    expect(await changesOf(sync({ policies: [policy("P", "fs:Read*")] }))).toEqual([
      "~ policy P (statement)",
      "= policy P (kept, differs in: accept)",
    ]);
    expect(await accepted()).toEqual(accept);
    const silent = { ...policy("P", "fs:Read*"), accept: [] };
    expect(await changesOf(sync({ policies: [silent] }))).toEqual(["~ policy P (accept)"]);
    expect(await accepted()).toBeUndefined();
    expect(await changesOf(sync({ policies: [silent] }))).toEqual([]);
  });

  it("keeps preconfigured policies that somebody changed, and takes its own away again", async () => {
    await opened.directory.policies.create(policy("FSReadAll", "fs:ReadObject"));
    const first = await sync({ preconfigured: true, users: [user("alice")] });
    expect([...formatReport(first)]).toContain("= policy FSReadAll (kept, differs in: statement)");
    await sync({ users: [user("alice")] }, { yes: true });
    const { policies, groups } = await state();
    expect([[...policies.keys()], [...groups.keys()]]).toEqual([["FSReadAll"], []]);
  });

  it("restores what an administrator changed by hand in what it made", async () => {
    const dataset = { users: [user("alice", { policies: ["P"] })], policies: [policy("P")] };
    await sync(dataset);
    await opened.directory.users.detachPolicy("alice", "P");
    await opened.directory.policies.update(policy("P", "fs:Read*"));
    expect(await changesOf(sync(dataset))).toEqual([
      "~ policy P (statement)",
      "+ attachment P to user alice",
    ]);
  });

  it("of any data set after any other equals the same sync into an empty directory, and repeats as nothing", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryDataset, arbitraryDataset, async (before, after) => {
        const [used, fresh] = await Promise.all([openTestDirectory(), openTestDirectory()]);
        await sync(before, { ...used, yes: true });
        await sync(after, { ...used, yes: true });
        await sync(after, fresh);
        const [usedState, freshState] = [
          await used.directory.batches.state({ secrets: true }),
          await fresh.directory.batches.state({ secrets: true }),
        ];
        // What was accepted stays where the later one does not speak of it: people may have accepted it.
        const left = [...usedState.policies].flatMap(([name, { value }]) => {
          const isSaid = after.policies?.some((one) => one.name === name && one.accept !== undefined);
          return value.accept === undefined || isSaid ? [] : [name];
        });
        for (const name of left) {
          const { accept: _, ...rest } = usedState.policies.get(name)!.value;
          (usedState.policies as Map<string, unknown>).set(name, { value: rest });
        }
        expect(plainState(usedState)).toEqual(plainState(freshState));
        const again = [...(await sync(after, used)).changes];
        expect(again.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual(
          left.toSorted().map((name) => ({ action: "keep", kind: "policy", name, fields: ["accept"] })),
        );
        await Promise.all([used.close(), fresh.close()]);
      }),
      { numRuns: 60 },
    );
  });
});
