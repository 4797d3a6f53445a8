import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { OpenedDirectory } from "../../src/directory/open-directory.ts";
import { checkConsistency } from "../../src/directory/upkeep/check-store.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import type { Commit, Store } from "../../src/store/port.ts";
import { codeOf, failingStore } from "../directory/backends.ts";
import { openDirectoryOn } from "../directory/open-test-directory.ts";
import { ADMIN, bootstrapOn, groupsOf, newFolder, removeFolders } from "./kit.ts";

let store: Store;
let directory: OpenedDirectory;
beforeEach(async () => {
  store = openMemoryStore();
  directory = await openDirectoryOn(store);
});
afterEach(async () => {
  await directory.close();
  expect(await checkConsistency(store)).toEqual([]);
  removeFolders();
});

describe("mode external", () => {
  it("creates the preconfigured groups and policies and the named administrator", async () => {
    const report = await bootstrapOn(directory);
    const catalog = await openCatalog({ partition: "svc" });
    const state = await directory.batches.state({ secrets: true });
    expect(report).toMatchObject({ outcome: "installed", admin: { username: "root", file: undefined } });
    expect(JSON.stringify(report)).not.toContain(ADMIN.secret_access_key);
    expect([...state.policies.keys()].sort()).toEqual(
      catalog.preconfigured.policies.map(({ name }) => name).sort(),
    );
    for (const { name, policies } of catalog.preconfigured.groups) {
      expect([...(state.groups.get(name)?.policies.keys() ?? [])]).toEqual([...policies].sort());
    }
    const root = state.users.get("root");
    expect([...(root?.groups.keys() ?? [])]).toEqual(["Admins"]);
    expect(root?.credentials.get(ADMIN.access_key_id)?.value.secret_access_key).toBe(ADMIN.secret_access_key);
  });

  it("writes a generated administrator into a file that only the owner can read", async () => {
    const adminFile = join(newFolder(), "admin.json");
    const report = await bootstrapOn(directory, { admin: {}, adminFile });
    const written = JSON.parse(readFileSync(adminFile, "utf8"));
    expect(statSync(adminFile).mode & 0o777).toBe(0o600);
    expect(report.admin).toEqual({
      username: "admin",
      access_key_id: written.access_key_id,
      file: adminFile,
    });
    expect(written.access_key_id).toMatch(/^AKIAJ[A-Z2-7]{14}Q$/);
    expect(written.secret_access_key).toHaveLength(40);
    expect(await directory.credentials.getWithSecret(written.access_key_id)).toMatchObject(written);
  });

  it("happens once: what an administrator deletes later stays deleted", async () => {
    await bootstrapOn(directory);
    await directory.policies.delete("FSReadAll");
    await directory.groups.delete("Developers");
    await directory.users.delete("root");
    expect(await bootstrapOn(directory)).toMatchObject({ outcome: "unchanged", changes: [] });
    expect(Object.keys(await groupsOf(directory))).not.toContain("Developers");
    expect(await codeOf(directory.policies.get("FSReadAll"))).toBe("not_found");
    expect(await codeOf(directory.users.get("root"))).toBe("not_found");
  });

  it("is one commit, so that no instance and no crash sees half of it", async () => {
    const commits: Commit[] = [];
    const watched: Store = {
      snapshot: () => store.snapshot(),
      commit: (commit) => {
        commits.push(commit);
        return store.commit(commit);
      },
      get logId() {
        return store.logId;
      },
      changes: (after, limit) => store.changes(after, limit),
      history: store.history,
      subscribe: (listener) => store.subscribe(listener),
      health: () => store.health(),
      close: () => store.close(),
    };
    const other = await openDirectoryOn(watched);
    commits.length = 0;
    await bootstrapOn(other, { admin: {} });
    await other.close();
    expect(commits).toHaveLength(1);
    const [{ reads, put = [] } = {}] = commits;
    expect(reads?.keys.get("meta")?.has("mark/bootstrap")).toBe(true);
    expect(put.map(({ key }) => key)).toContain("mark/bootstrap");
  });

  it.each([false, true])("survives a store that fails at it (answer lost: %s)", async (loseAnswers) => {
    const failing = failingStore(store);
    const first = await openDirectoryOn(failing);
    const adminFile = join(newFolder(), "admin.json");
    failing.commitsLeft = 0;
    failing.loseAnswers = loseAnswers;
    expect(await codeOf(bootstrapOn(first, { admin: {}, adminFile }))).toBe("unavailable");
    await first.close();
    await bootstrapOn(directory, { admin: {}, adminFile });
    const { access_key_id } = JSON.parse(readFileSync(adminFile, "utf8"));
    expect((await directory.credentials.getWithSecret(access_key_id)).username).toBe("admin");
    expect((await directory.groups.members("Admins", { amount: 10 })).results).toHaveLength(1);
  });

  it("keeps the credentials of a commit whose outcome is not known: it may come yet", async () => {
    const adminFile = join(newFolder(), "admin.json");
    const { commit } = store;
    let late = async (): Promise<unknown> => undefined;
    store.commit = async (asked) => {
      if (asked.put?.some(({ partition }) => partition === "key") !== true) return commit.call(store, asked);
      store.commit = commit;
      late = () => commit.call(store, asked);
      throw new AuthorizerError("outcome_unknown", "nobody knows");
    };
    expect(await codeOf(bootstrapOn(directory, { admin: {}, adminFile }))).toBe("outcome_unknown");
    await late();
    const made = JSON.parse(readFileSync(adminFile, "utf8"));
    expect(await directory.credentials.getWithSecret(made.access_key_id)).toMatchObject(made);
  });

  it("takes the credentials that a process killed before its commit has left", async () => {
    const adminFile = join(newFolder(), "admin.json");
    const left = { username: "admin", access_key_id: "AKIAJLEFTQ", secret_access_key: "left behind" };
    writeFileSync(adminFile, JSON.stringify(left), { mode: 0o600 });
    await bootstrapOn(directory, { admin: {}, adminFile });
    expect(await directory.credentials.getWithSecret("AKIAJLEFTQ")).toMatchObject(left);
  });

  it("refuses a file with the credentials of somebody else, and changes nothing", async () => {
    const adminFile = join(newFolder(), "admin.json");
    writeFileSync(adminFile, JSON.stringify({ ...ADMIN, username: "eve" }));
    expect(await codeOf(bootstrapOn(directory, { admin: {}, adminFile }))).toBe("invalid_request");
    expect(existsSync(adminFile)).toBe(true);
    expect(await groupsOf(directory)).toEqual({});
  });

  it("completes a set-up that stopped half-way, and leaves what somebody made otherwise", async () => {
    await directory.groups.create({ name: "Admins" });
    await directory.groups.create({ name: "Viewers" });
    const own = { name: "FSReadAll", statement: [{ effect: "deny", action: ["fs:*"], resource: "*" }] };
    await directory.policies.create(own);
    await directory.policies.create({ ...own, name: "Mine" });
    await directory.groups.attachPolicy("Viewers", "Mine");
    const { changes } = await bootstrapOn(directory);
    expect(changes).toContainEqual({ kind: "group", name: "Admins", what: "completed" });
    expect(changes).toContainEqual({ kind: "group", name: "Viewers", what: "kept" });
    expect(changes).toContainEqual({ kind: "policy", name: "FSReadAll", what: "kept" });
    expect((await directory.policies.get("FSReadAll")).statement).toEqual(own.statement);
    const groups = await groupsOf(directory);
    expect(groups["Admins"]).toContain("AuthFullAccess");
    expect(groups["Viewers"]).toEqual(["Mine"]);
  });

  it("makes no administrator where Admins has one and none is named", async () => {
    await directory.groups.create({ name: "Admins" });
    await directory.users.create({ username: "jane" });
    await directory.groups.addMember("Admins", "jane");
    const adminFile = join(newFolder(), "admin.json");
    const report = await bootstrapOn(directory, { admin: {}, adminFile });
    expect(report.admin).toBeUndefined();
    expect(existsSync(adminFile)).toBe(false);
    expect(await codeOf(directory.users.get("admin"))).toBe("not_found");
  });

  it("does not make an administrator of a user who happens to be called admin", async () => {
    await directory.users.create({ username: "admin" });
    expect(await codeOf(bootstrapOn(directory, { admin: {} }))).toBe("invalid_request");
    await bootstrapOn(directory, { admin: { username: "admin" } });
    expect((await directory.users.groups("admin", { amount: 10 })).results).toHaveLength(1);
    expect((await directory.credentials.list("admin", { amount: 10 })).results).toEqual([]);
  });

  it("refuses a key that is somebody else's, naming the item", async () => {
    await directory.users.create({ username: "eve" });
    await directory.credentials.create("eve", {
      access_key_id: ADMIN.access_key_id,
      secret_access_key: "x",
    });
    await expect(bootstrapOn(directory)).rejects.toThrow("authorizer.bootstrap_admin.access_key_id");
    expect(await groupsOf(directory)).toEqual({});
  });
});

describe("two instances that start at once", () => {
  it.each([true, false])(
    "leave one administrator, whose credentials are in its file (same folder: %s)",
    async (shared) => {
      for (let round = 0; round < 5; round++) {
        const common = openMemoryStore();
        const [one, two] = [await openDirectoryOn(common), await openDirectoryOn(common)];
        const files = [join(newFolder(), "admin.json"), join(newFolder(), "admin.json")];
        if (shared) files[1] = files[0] as string;
        const reports = await Promise.all(
          [one, two].map((each, index) =>
            bootstrapOn(each, { admin: {}, adminFile: files[index] as string }),
          ),
        );
        expect(reports.map(({ outcome }) => outcome).sort()).toEqual(["installed", "unchanged"]);
        const { results } = await one.groups.members("Admins", { amount: 10 });
        expect(results.map(({ username }) => username)).toEqual(["admin"]);
        const keys = await one.credentials.list("admin", { amount: 10 });
        expect(keys.results).toHaveLength(1);
        const left = [...new Set(files)].filter((file) => existsSync(file));
        expect(left).toHaveLength(1);
        const written = JSON.parse(readFileSync(left[0] as string, "utf8"));
        expect(written.access_key_id).toBe(keys.results[0]?.access_key_id);
        expect(await checkConsistency(common)).toEqual([]);
        await Promise.all([one.close(), two.close()]);
      }
    },
  );
});

describe("mode simplified", () => {
  it("creates four groups with an access list each, and the default group without any", async () => {
    const report = await bootstrapOn(directory, { mode: "simplified", admin: {} });
    expect(report.admin).toBeUndefined();
    expect(await groupsOf(directory)).toEqual({
      Admins: ["ACL(_-_)Admins"],
      Readers: ["ACL(_-_)Readers"],
      Supers: ["ACL(_-_)Supers"],
      Viewers: [],
      Writers: ["ACL(_-_)Writers"],
    });
    const acl = async (group: string) => (await directory.policies.get(`ACL(_-_)${group}`)).acl;
    const acls = await Promise.all(["Admins", "Supers", "Writers", "Readers"].map(acl));
    expect(acls).toEqual(["Admin", "Super", "Write", "Read"]);
  });

  it("has no group twice where the default group is one of the four", async () => {
    await bootstrapOn(directory, { mode: "simplified", defaultUserGroup: "Readers" });
    expect((await groupsOf(directory))["Readers"]).toEqual(["ACL(_-_)Readers"]);
    expect(Object.keys(await groupsOf(directory))).toHaveLength(4);
  });

  it("writes the statements that a data server writes, in the partition", async () => {
    const other = openMemoryStore();
    const lake = await openDirectoryOn(other, { partition: "lakefs" });
    await bootstrapOn(lake, { mode: "simplified", catalog: await openCatalog({ partition: "lakefs" }) });
    const recorded = JSON.parse(
      readFileSync(new URL("../../fixtures/documents/recorded-acls.json", import.meta.url), "utf8"),
    );
    for (const [group, statement] of Object.entries(recorded)) {
      expect((await lake.policies.get(`ACL(_-_)${group}`)).statement, group).toEqual(statement);
    }
    await lake.close();
  });

  it("leaves a store alone that was set up in the other mode", async () => {
    await bootstrapOn(directory);
    const before = await groupsOf(directory);
    expect(await bootstrapOn(directory, { mode: "simplified" })).toMatchObject({
      outcome: "other_mode",
      mode: "external",
    });
    expect(await groupsOf(directory)).toEqual(before);
    expect(await bootstrapOn(directory)).toMatchObject({ outcome: "unchanged" });
  });
});
