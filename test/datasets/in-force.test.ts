import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { areInForce, inForceMark } from "../../src/datasets/in-force.ts";
import { loadDatasets } from "../../src/datasets/load-datasets.ts";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import { BACKENDS, type Backend } from "../directory/backends.ts";
import { openTestDirectory, type TestDirectory } from "../directory/open-test-directory.ts";
import { openNode, sharedBy } from "../journal/bed.ts";
import { fileFolder } from "./file-folder.ts";

const folder = fileFolder();

describe.each(BACKENDS)("data sets that are in force, on $name", (backend) => {
  let opened: TestDirectory;
  let secret: string | undefined;
  let files: readonly string[];
  beforeEach(async () => {
    opened = await openTestDirectory({ backend });
    secret = "one";
    const credentials = [{ access_key_id: "AKIAJALICE", secret_access_key_env: "ALICE" }];
    files = [
      folder.write("people.json", { format: 1, users: [{ username: "alice", groups: ["G"], credentials }] }),
      folder.write("groups.yaml", "format: 1\ngroups: [{name: G}]\n"),
    ];
  });
  afterEach(() => opened.close());

  const loadOf = (changes: Partial<Parameters<typeof areInForce>[0]> = {}) => ({
    directory: opened.directory,
    catalog: opened.catalog,
    files,
    mode: "load" as const,
    env: (name: string) => (name === "ALICE" ? secret : undefined),
    guards: "strict" as const,
    limits: {},
    version: "1",
    key: "a key",
    ...changes,
  });
  const load = () => loadDatasets({ ...loadOf(), mark: inForceMark(loadOf()) });

  it("are found to be after a load, also after one that changed nothing", async () => {
    expect(await areInForce(loadOf())).toBe(false);
    await load();
    expect(await areInForce(loadOf())).toBe(true);
    await opened.directory.users.update("alice", { email: "alice@example.com" });
    expect(await areInForce(loadOf())).toBe(false);
    await load();
    expect(await areInForce(loadOf())).toBe(true);
  });

  it("are not after a change of bytes, files, secrets, options or the program", async () => {
    await load();
    for (const change of [
      { mode: "sync" as const },
      { version: "2" },
      { key: "another" },
      { guards: "lenient" as const },
      { limits: { statementsPerPolicy: 3 } },
      { files: files.slice(1) },
      { files: [...files, "nowhere.json"] },
    ]) {
      expect(await areInForce(loadOf(change))).toBe(false);
    }
    secret = "another";
    expect(await areInForce(loadOf())).toBe(false);
    secret = "one";
    expect(await areInForce(loadOf())).toBe(true);
    folder.write("groups.yaml", "format: 1\ngroups: [{name: G, description: Changed}]\n");
    expect(await areInForce(loadOf())).toBe(false);
  });

  it.each<[string, (directory: TestDirectory["directory"]) => Promise<unknown>]>([
    ["a user was deleted", ({ users }) => users.delete("alice")],
    ["a member was removed", ({ groups }) => groups.removeMember("G", "alice")],
    ["a key was deleted", ({ credentials }) => credentials.delete("alice", "AKIAJALICE")],
    [
      "a policy was made",
      ({ policies }) =>
        policies.create({ name: "P", statement: [{ effect: "allow", action: ["fs:*"], resource: "*" }] }),
    ],
  ])("are not after %s", async (_what, change) => {
    await load();
    await change(opened.directory);
    expect(await areInForce(loadOf())).toBe(false);
  });

  it("still are after a token was claimed, which is no part of a data set", async () => {
    await load();
    await opened.directory.tokenClaims.claim("a token", Math.floor(Date.now() / 1_000) + 60);
    expect(await areInForce(loadOf())).toBe(true);
  });

  it("are not if somebody wrote between the comparison and the commit", async () => {
    const { batches } = opened.directory;
    const apply: typeof batches.apply = async (operations, options) => {
      await opened.directory.users.create({ username: "between" });
      return batches.apply(operations, options);
    };
    const directory = { ...opened.directory, batches: { ...batches, apply } };
    await loadDatasets({ ...loadOf({ directory }), mark: inForceMark(loadOf()) });
    expect(await areInForce(loadOf())).toBe(false);
  });

  it("are not after a load that was refused, or only tried", async () => {
    await loadDatasets({ ...loadOf(), mark: inForceMark(loadOf()), dryRun: true });
    expect(await areInForce(loadOf())).toBe(false);
    secret = undefined;
    await expect(load()).rejects.toMatchObject({ code: "invalid_request" });
    secret = "one";
    expect(await areInForce(loadOf())).toBe(false);
  });
});

describe("data sets that are in force, where commits are grouped", () => {
  /** Entries that nobody creates before `until`; how many were begun, and commits that were handed to the store. */
  const held = { until: Promise.resolve(), begun: 0, commits: 0 };
  const GROUPING: Backend = {
    name: "a log",
    async open() {
      const shared = sharedBy(new MemoryEngine());
      const store = await openNode({
        ...shared,
        create: (name, item) => {
          held.begun++;
          return held.until.then(() => shared.create(name, item));
        },
      });
      const commit = store.commit.bind(store);
      store.commit = (one) => {
        held.commits++;
        return commit(one);
      };
      return { store, dispose: () => store.close() };
    },
  };

  it("are not found to be if the entry of the load is also one of somebody else", async () => {
    const opened = await openTestDirectory({ backend: GROUPING });
    const { directory, catalog } = opened;
    const files = [folder.write("one.json", { format: 1, users: [{ username: "alice" }] })];
    const options = { env: () => undefined, guards: "strict", limits: {}, version: "1", key: "" } as const;
    const loadOf = { directory, catalog, files, mode: "load", ...options } as const;
    const mark = inForceMark(loadOf);
    try {
      await loadDatasets({ ...loadOf, mark });
      expect(await areInForce(loadOf)).toBe(true);
      const { promise, resolve } = Promise.withResolvers<void>();
      const { batches } = directory;
      const apply: typeof batches.apply = async (operations, given) => {
        held.until = promise;
        // The first entry has to wait; what comes meanwhile is the next one together.
        const { begun, commits } = held;
        const first = directory.tokenClaims.claim("a token", Math.floor(Date.now() / 1_000) + 60);
        await expect.poll(() => held.begun).toBe(begun + 1);
        const applied = batches.apply(operations, given);
        const deleted = directory.users.delete("alice");
        await expect.poll(() => held.commits).toBe(commits + 3);
        // They are checked before they wait for their entry: a turn for each of their records at most.
        for (let turn = 0; turn < 100; turn++) await setImmediate();
        resolve();
        const [left] = await Promise.all([applied, first, deleted]);
        return left;
      };
      await loadDatasets({ ...loadOf, directory: { ...directory, batches: { ...batches, apply } }, mark });
      const marked = (await batches.mark("datasets"))?.revision;
      const entries = await directory.history.entries(0, 100);
      const shared = entries?.find(({ revision }) => revision === marked);
      expect(shared?.useCases.some(({ touched }) => touched?.users?.includes("alice"))).toBe(true);
      expect(await areInForce(loadOf)).toBe(false);
    } finally {
      await opened.close();
    }
  });
});
