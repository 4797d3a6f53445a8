import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { describe, expect, it } from "vitest";
import {
  addAdministrator,
  type CreatedAdministrator,
  isSetUp,
  setUpFirstAdministrator,
} from "../../src/bootstrap/first-administrator.ts";
import type { Directory } from "../../src/directory/directory.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import type { Store } from "../../src/store/port.ts";
import { openDirectoryOn } from "../directory/open-test-directory.ts";
import { bootstrapOn, groupsOf } from "./kit.ts";

const catalog = await openCatalog({ partition: "svc" });

function setUp(directory: Directory, username = "root"): Promise<CreatedAdministrator> {
  return setUpFirstAdministrator({ directory, catalog, guards: "strict" }, { username });
}

/** A store whose process dies right before its n-th commit, or right after it. */
function dyingStore(store: Store, commits: number, moment: "before" | "after"): Store {
  let left = commits;
  const dead = (): AuthorizerError => new AuthorizerError("unavailable", "the process is gone");
  return {
    snapshot: () => (left <= 0 ? Promise.reject(dead()) : store.snapshot()),
    commit: async (commit) => {
      if (left <= 0) throw dead();
      left--;
      if (left > 0) return store.commit(commit);
      if (moment === "after") await store.commit(commit);
      throw dead();
    },
    get logId() {
      return store.logId;
    },
    changes: (after, limit) => store.changes(after, limit),
    history: store.history,
    subscribe: (listener) => store.subscribe(listener),
    health: () => store.health(),
    close: async () => {},
  };
}

/** Whether everything of a set-up is there, or nothing. */
async function outcomeOf(directory: Directory): Promise<"all" | "nothing" | "half"> {
  const { users, groups, policies } = await directory.batches.state({ secrets: true });
  const parts = [
    await isSetUp(directory),
    users.get("root")?.groups.has("Admins") === true,
    users.get("root")?.credentials.size === 1,
    groups.size === catalog.preconfigured.groups.length,
    policies.size === catalog.preconfigured.policies.length,
  ];
  if (parts.every((part) => part)) return "all";
  return users.size + groups.size + policies.size === 0 && !parts[0] ? "nothing" : "half";
}

describe("the first administrator", () => {
  it("is set up whole or not at all, wherever the process dies", async () => {
    const seen = new Set<string>();
    for (const moment of ["before", "after"] as const) {
      for (let commits = 1; ; commits++) {
        const store = openMemoryStore();
        const first = await openDirectoryOn(store);
        await first.close();
        let died = false;
        const dying = await openDirectoryOn(dyingStore(store, commits, moment)).catch(() => undefined);
        await (dying === undefined ? Promise.reject(new Error()) : setUp(dying)).catch(() => {
          died = true;
        });
        const survivor = await openDirectoryOn(store);
        const outcome = await outcomeOf(survivor);
        seen.add(outcome);
        expect(outcome, `${moment} commit ${commits}`).not.toBe("half");
        if (outcome === "nothing") await setUp(survivor);
        else await expect(setUp(survivor, "other")).rejects.toMatchObject({ code: "already_exists" });
        expect(await outcomeOf(survivor)).toBe("all");
        await survivor.close();
        if (!died) break;
        expect(commits).toBeLessThan(50);
      }
    }
    expect(seen).toEqual(new Set(["all", "nothing"]));
  });

  it("finds groups and policies of others as they are, and completes what a set-up left half-done", async () => {
    const directory = await openDirectoryOn(openMemoryStore());
    await directory.policies.create({
      name: "FSFullAccess",
      statement: [{ effect: "allow", action: ["fs:ReadObject"], resource: "*" }],
    });
    await directory.groups.create({ name: "Admins" });
    await setUp(directory);
    expect((await directory.policies.get("FSFullAccess")).statement[0]?.action).toEqual(["fs:ReadObject"]);
    expect((await groupsOf(directory))["Admins"]).toContain("AuthFullAccess");
  });

  it("is there after a bootstrap in mode external, not after one in mode simplified", async () => {
    const external = await openDirectoryOn(openMemoryStore());
    await bootstrapOn(external);
    expect(await isSetUp(external)).toBe(true);
    await expect(setUp(external, "other")).rejects.toMatchObject({ code: "already_exists" });
    const simplified = await openDirectoryOn(openMemoryStore());
    await bootstrapOn(simplified, { mode: "simplified" });
    expect(await isSetUp(simplified)).toBe(false);
    const before = await groupsOf(simplified);
    await setUp(simplified);
    expect(await groupsOf(simplified)).toEqual(before);
  });

  it("takes no key of another user", async () => {
    const directory = await openDirectoryOn(openMemoryStore());
    await directory.users.create({ username: "alice" });
    const key = { access_key_id: "AKIAJALICEALICEALICQ", secret_access_key: "a secret of alice" };
    await directory.credentials.create("alice", key);
    const parts = { directory, catalog, guards: "strict" } as const;
    await expect(setUpFirstAdministrator(parts, { username: "root", key })).rejects.toMatchObject({
      code: "already_exists",
    });
    expect(await isSetUp(directory)).toBe(false);
  });
});

describe("a further administrator", () => {
  it("counts as set-up", async () => {
    const directory = await openDirectoryOn(openMemoryStore());
    await expect(addAdministrator({ directory, guards: "strict" }, { username: "x" })).rejects.toMatchObject({
      code: "invalid_request",
    });
    await directory.groups.create({ name: "Admins" });
    await addAdministrator({ directory, guards: "strict" }, { username: "x" });
    expect(await isSetUp(directory)).toBe(true);
    await addAdministrator({ directory, guards: "strict" }, { username: "y" });
    expect((await directory.groups.members("Admins", { amount: 5 })).results.length).toBe(2);
  });
});
