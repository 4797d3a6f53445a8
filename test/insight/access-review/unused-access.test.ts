import { join } from "node:path";
import type { Statement } from "@svc-authorizer/policy/model/policy.ts";
import { compareUtf8 } from "@svc-authorizer/policy/model/utf8-order.ts";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { BatchOperation } from "../../../src/directory/batch.ts";
import type { OpenedDirectory } from "../../../src/directory/open-directory.ts";
import { readUnused } from "../../../src/insight/access-review/unused/read-unused.ts";
import type { UnusedEntry, UnusedKind } from "../../../src/insight/access-review/unused/unused-access.ts";
import { openMemoryStore } from "../../../src/store/memory/memory-store.ts";
import type { Store } from "../../../src/store/port.ts";
import { type OpenedUsage, openUsage } from "../../../src/usage/open-usage.ts";
import { statementDigest } from "../../../src/usage/statement-digest.ts";
import { UsageDatabase } from "../../../src/usage/usage-database.ts";
import type { UsageRow } from "../../../src/usage/usage-rows.ts";
import { openDirectoryOn, openTestDirectory } from "../../directory/open-test-directory.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const CREATED = 1_000;
const SINCE = 5_000_000;

interface World {
  readonly directory: OpenedDirectory;
  readonly actions: readonly string[];
  ask(question?: { kind?: UnusedKind; after?: string; amount?: number }): ReturnType<typeof readUnused>;
  /** Writes counts as a node that counts would. */
  count(rows: readonly UsageRow[]): void;
  /** Records that were read of the store since the last call. */
  reads(): number;
}

async function openWorld(): Promise<World> {
  const { catalog, close } = await openTestDirectory();
  let reads = 0;
  const store = counting(openMemoryStore(), (records) => {
    reads += records;
  });
  const directory = await openDirectoryOn(store, { upkeep: false });
  const path = join(temporaryFolder(), "usage.sqlite");
  const usage: OpenedUsage = openUsage({ path, node: "n1", intervalMs: 3_600_000, report: () => {} });
  const database = new UsageDatabase(path);
  onTestFinished(async () => {
    database.close();
    await usage.close();
    await directory.close();
    await store.close();
    await close();
  });
  return {
    directory,
    actions: [...catalog.actions.keys()],
    ask: ({ kind, after = "", amount = 100 } = {}) =>
      readUnused({ directory, catalog }, usage, { since: SINCE, kind, after, amount }),
    count: (rows) => database.add("n1", rows),
    reads: () => {
      const before = reads;
      reads = 0;
      return before;
    },
  };
}

/** Counts the records that snapshots of a store give. */
function counting(store: Store, tell: (records: number) => void): Store {
  return new Proxy(store, {
    get(target, name) {
      if (name !== "snapshot") {
        const value = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      }
      return async () => {
        const snapshot = await target.snapshot();
        return {
          revision: snapshot.revision,
          get: (partition: string, key: string) => {
            tell(1);
            return snapshot.get(partition, key);
          },
          getMany: (partition: string, keys: readonly string[]) => {
            tell(keys.length);
            return snapshot.getMany(partition, keys);
          },
          scan: async (...given: Parameters<typeof snapshot.scan>) => {
            const found = await snapshot.scan(...given);
            tell(found.length);
            return found;
          },
          release: () => snapshot.release(),
        };
      };
    },
  });
}

const used = (
  kind: UsageRow["kind"],
  name: string,
  last: number,
  more: Partial<UsageRow> = {},
): UsageRow => ({
  kind,
  name,
  part: "",
  action: "",
  count: 1,
  last: last * 1_000,
  ...more,
});

async function allPages(world: World, amount: number, kind?: UnusedKind): Promise<UnusedEntry[]> {
  const found: UnusedEntry[] = [];
  let after = "";
  do {
    const page = await world.ask({ after, amount, ...(kind !== undefined && { kind }) });
    expect(page.entries.length).toBeLessThanOrEqual(amount);
    found.push(...(page.entries as UnusedEntry[]));
    expect(page.next).not.toBe(after === "" ? undefined : after);
    after = page.next;
  } while (after !== "");
  return found;
}

describe("pages of unused access", () => {
  it("cost what they list, wherever they are in a large directory", async () => {
    const world = await openWorld();
    const USERS = 6_000;
    const name = (index: number): string => `u${String(index).padStart(5, "0")}`;
    const users = Array.from({ length: USERS }, (_, index): BatchOperation[] => [
      { op: "put_user", user: { username: name(index), creation_date: CREATED } },
      { op: "add_member", group: "everyone", username: name(index) },
      {
        op: "put_credential",
        username: name(index),
        access_key_id: `AKIA${name(index)}`,
        secret_access_key: "secret",
        creation_date: CREATED,
      },
    ]);
    await world.directory.batches.apply(
      [{ op: "put_group", name: "everyone", creation_date: CREATED }, ...users.flat()],
      { managed: false },
    );
    world.count([
      ...Array.from({ length: USERS }, (_, index) =>
        used("user", name(index), index % 2 === 0 ? 9_000 : 4_000, { part: `id ${index}` }),
      ),
      used("group", "everyone", 9_000),
    ]);
    world.reads();
    const costs: number[] = [];
    for (const after of ["", `user::${name(3_000)}`, `user::${name(5_500)}`, `key::AKIA${name(3_000)}`]) {
      expect((await world.ask({ after, amount: 100 })).entries).toHaveLength(100);
      costs.push(world.reads());
    }
    // Twice as many users as are listed, with their owners where they are keys; in parts of 250.
    expect(Math.max(...costs)).toBeLessThanOrEqual(500);
    const { entries, next } = await world.ask({ kind: "user", after: "", amount: 1_000 });
    expect([entries.length, next]).toEqual([1_000, `user::${name(1_999)}`]);
    expect(world.reads()).toBeLessThanOrEqual(2_250);
    // A page that finds little ends too.
    world.count(
      Array.from({ length: USERS }, (_, index) => used("user", name(index), 9_000, { part: `id ${index}` })),
    );
    const none = await world.ask({ kind: "user" });
    expect([none.entries.length, none.next]).toEqual([0, `user::${name(4_999)}`]);
    expect(world.reads()).toBeLessThanOrEqual(5_250);
    expect((await allPages(world, 1_000)).map(({ kind }) => kind)).toEqual(
      Array.from({ length: USERS }, () => "key"),
    );
  });

  it("end after a group with many members, and refuse marks of other lists", async () => {
    const world = await openWorld();
    const members = Array.from({ length: 5_200 }, (_, index): BatchOperation[] => [
      { op: "put_user", user: { username: `m${index}` } },
      { op: "add_member", group: "g1", username: `m${index}` },
      { op: "add_member", group: "g2", username: `m${index}` },
    ]);
    const groups = ["g1", "g2"].map((name): BatchOperation => ({ op: "put_group", name }));
    await world.directory.batches.apply([...groups, ...members.flat()], { managed: false });
    const first = await world.ask({ kind: "group" });
    expect(first.entries).toMatchObject([{ id: "g1", members: 5_200 }]);
    const second = await world.ask({ kind: "group", after: first.next });
    expect([second.entries.length, second.next]).toEqual([1, ""]);
    await expect(world.ask({ kind: "user", after: first.next })).rejects.toThrow("of another kind");
    await expect(world.ask({ after: "m1" })).rejects.toThrow("must be the next_offset");
  });

  it("have together what looking at everything finds", async () => {
    const times = fc.constantFrom(undefined, 500, 4_000, 9_000);
    const names = (prefix: string) =>
      fc.uniqueArray(fc.constantFrom("a", "b", "B", "é", "😀", "1:x", "z z").map((name) => prefix + name));
    const statement = fc.record({
      effect: fc.constantFrom("allow", "deny"),
      action: fc.constantFrom(["fs:ReadObject"], ["fs:ReadObject", "fs:WriteObject"], ["fs:*Tag"]),
      resource: fc.constantFrom("*", "arn:svc:fs:::repository/a"),
    });
    const policies = fc.uniqueArray(
      fc.record({
        name: fc.constantFrom("p", "p:1", "P", "7"),
        statement: fc.uniqueArray(statement, { minLength: 1, maxLength: 3, selector: JSON.stringify }),
      }),
      { selector: ({ name }) => name },
    );
    const scene = fc.record({
      users: names("u"),
      groups: names("g"),
      policies,
      links: fc.array(fc.nat(99), { maxLength: 20 }),
      gone: fc.nat(9),
      times: fc.array(times, { minLength: 40, maxLength: 40 }),
      amount: fc.constantFrom(1, 2, 3, 1_000),
    });
    await fc.assert(
      fc.asyncProperty(scene, async (one) => {
        const world = await openWorld();
        const wanted = await furnish(world, one);
        const found = await allPages(world, one.amount);
        expect(found).toEqual(wanted);
        for (const kind of ["user", "policy", "statement", "actions"] as const) {
          const ofKind = wanted.filter((entry) => entry.kind === kind);
          expect(await allPages(world, one.amount, kind)).toEqual(ofKind);
        }
      }),
      { numRuns: 60 },
    );
  });
});

interface Scene {
  readonly users: readonly string[];
  readonly groups: readonly string[];
  readonly policies: readonly { readonly name: string; readonly statement: readonly Statement[] }[];
  readonly links: readonly number[];
  readonly gone: number;
  readonly times: readonly (number | undefined)[];
}

/** Makes a directory and its use; returns what is unused, found without pages. */
async function furnish(world: World, scene: Scene): Promise<UnusedEntry[]> {
  const { directory } = world;
  const { users, groups, policies } = scene;
  const operations: BatchOperation[] = [
    ...users.map(
      (username): BatchOperation => ({ op: "put_user", user: { username, creation_date: CREATED } }),
    ),
    ...groups.map((name): BatchOperation => ({ op: "put_group", name, creation_date: CREATED })),
    ...policies.map((policy): BatchOperation => ({ op: "put_policy", policy })),
    ...users.map(
      (username): BatchOperation => ({
        op: "put_credential",
        username,
        access_key_id: `AKIA-${Buffer.from(username).toString("hex")}`,
        secret_access_key: "secret",
        creation_date: CREATED,
      }),
    ),
  ];
  const attached = new Map<string, Set<string>>(policies.map(({ name }) => [name, new Set()]));
  const members = new Map<string, Set<string>>(groups.map((name) => [name, new Set()]));
  for (const link of scene.links) {
    const [user, group] = [users[link % users.length], groups[(link >> 2) % groups.length]];
    const policy = policies[(link >> 3) % policies.length]?.name;
    if (user !== undefined && group !== undefined) {
      operations.push({ op: "add_member", group, username: user });
      members.get(group)?.add(user);
    }
    if (policy !== undefined && user !== undefined && link % 2 === 0) {
      operations.push({ op: "attach_to_user", username: user, policy });
      attached.get(policy)?.add(`user ${user}`);
    } else if (policy !== undefined && group !== undefined) {
      operations.push({ op: "attach_to_group", group, policy });
      attached.get(policy)?.add(`group ${group}`);
    }
  }
  if (operations.length > 0) await directory.batches.apply(operations, { managed: false });
  const gone = users[scene.gone];
  // Its references are not swept here, and count for nothing.
  if (gone !== undefined) await directory.users.delete(gone);
  const left = users.filter((name) => name !== gone);
  const [rows, expected] = [[] as UsageRow[], [] as UnusedEntry[]];
  let turn = 0;
  const timeOf = (): number | undefined => scene.times[turn++ % scene.times.length];
  const entryOf = (last: number | undefined, created = CREATED): { last_used?: number } | undefined => {
    if (last === undefined || last < created) return {};
    return last >= SINCE / 1_000 ? undefined : { last_used: last };
  };
  const note = (row: UsageRow | undefined): void => {
    if (row !== undefined) rows.push(row);
  };
  for (const id of [...left].sort(compareUtf8)) {
    const last = timeOf();
    note(last === undefined ? undefined : used("user", id, last, { part: `id of ${id}` }));
    const unused = entryOf(last);
    if (unused !== undefined) expected.push({ kind: "user", id, creation_date: CREATED, ...unused });
  }
  const keys = left.map((user) => ({ user, access_key_id: `AKIA-${Buffer.from(user).toString("hex")}` }));
  for (const key of keys.sort((a, b) => compareUtf8(a.access_key_id, b.access_key_id))) {
    const last = timeOf();
    note(last === undefined ? undefined : used("key", key.access_key_id, last));
    const unused = entryOf(last);
    if (unused !== undefined) expected.push({ kind: "key", ...key, creation_date: CREATED, ...unused });
  }
  for (const id of [...groups].sort(compareUtf8)) {
    const last = timeOf();
    note(last === undefined ? undefined : used("group", id, last));
    const unused = entryOf(last);
    const count = [...(members.get(id) ?? [])].filter((name) => name !== gone).length;
    if (unused !== undefined) {
      expected.push({ kind: "group", id, creation_date: CREATED, members: count, ...unused });
    }
  }
  const [ofStatements, ofActions] = [[] as UnusedEntry[], [] as UnusedEntry[]];
  for (const { name, statement } of [...policies].sort((a, b) => compareUtf8(a.name, b.name))) {
    const lasts = statement.map((one) => {
      const last = timeOf();
      if (last !== undefined) {
        note(used("statement", name, last, { part: statementDigest(one), action: "fs:ReadObject" }));
      }
      return last;
    });
    const known = lasts.filter((last) => last !== undefined);
    const unused = entryOf(known.length === 0 ? undefined : Math.max(...known), 0);
    if (unused !== undefined) {
      const count = [...(attached.get(name) ?? [])].filter((holder) => holder !== `user ${gone}`).length;
      expected.push({ kind: "policy", id: name, attached: count, ...unused });
      continue;
    }
    for (const [index, { effect, action }] of statement.entries()) {
      const place = { policy: name, statement: index };
      const notUsed = entryOf(lasts[index], 0);
      if (notUsed !== undefined) ofStatements.push({ kind: "statement", ...place, effect, ...notUsed });
      if (notUsed !== undefined || effect === "deny") continue;
      const allowed = action.flatMap((one) =>
        one.startsWith("fs:*") ? world.actions.filter((other) => /^fs:.*Tag$/.test(other)) : [one],
      );
      const never = allowed.filter((other) => other !== "fs:ReadObject").sort();
      if (never.length > 0) ofActions.push({ kind: "actions", ...place, unused: never });
    }
  }
  world.count(rows);
  return [...expected, ...ofStatements, ...ofActions];
}
