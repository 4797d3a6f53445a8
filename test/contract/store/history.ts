/** The log: entries with who asked and what they touch, and every state that is kept (spec/journal §4). */

import fc from "fast-check";
import { expect, it } from "vitest";
import type { CommittedChange, RecordName, RecordPut, Snapshot } from "../../../src/store/port.ts";
import { P, type StoreHarness } from "./harness.ts";

/** Declares this part of the contract. */
export function describeHistory(harness: StoreHarness): void {
  const { put, remove, scan } = harness;
  const revision = () => harness.store.history.head.revision;
  const at = async <T>(when: number, read: (snapshot: Snapshot) => Promise<T>): Promise<T> => {
    const snapshot = await harness.store.history.snapshotAt(when);
    try {
      expect(snapshot.revision).toBe(when);
      return await read(snapshot);
    } finally {
      snapshot.release();
    }
  };
  const texts = (when: number) =>
    at(when, async (snapshot) =>
      (await snapshot.scan(P, { limit: 1_000 })).map(({ key, value }) => `${key}=${value}`),
    );
  const since = async (after: number): Promise<readonly CommittedChange[]> =>
    (await harness.store.changes(after, 100))!;

  it("begins with no entry, at revision 0", async () => {
    expect(harness.store.history.head).toEqual({ revision: 0, id: "", at: "", log: "" });
    expect(await harness.store.history.keptFrom()).toBe(0);
    expect(await texts(0)).toEqual([]);
  });

  it("keeps of each entry its id, its time, its node, who asked and what it touches", async () => {
    const commit = { put: [{ partition: P, key: "a", value: "1" }] };
    await harness.store.commit({ ...commit, actor: "é", touched: { users: ["alice"], resources: ["t/1"] } });
    await harness.store.commit({ ...commit, touched: { all: true } });
    await harness.store.commit({ ...commit, put: [{ partition: P, key: "a", value: "2" }] });
    const entries = await since(0);
    expect(entries.map(({ useCases }) => useCases)).toEqual([
      [{ actor: "é", touched: { users: ["alice"], resources: ["t/1"] } }],
      [{ touched: { all: true } }],
      [],
    ]);
    expect(new Set(entries.map(({ id }) => id)).size).toBe(3);
    expect(new Set(entries.map(({ node }) => node)).size).toBe(1);
    const times = entries.map((entry) => entry.at);
    expect(times).toEqual([...times].sort());
    expect(harness.store.history.head).toEqual({
      revision: 3,
      id: entries[2]!.id,
      at: times[2],
      log: entries[0]!.id,
    });
  });

  it("knows entries by their ids, and the writes of an entry by both", async () => {
    for (const value of ["1", "2", "3"]) await put("a", value);
    const { history } = harness.store;
    const entries = await since(0);
    expect(await history.idOf(0)).toBe("");
    for (const { revision, id } of entries) {
      expect(await history.idOf(revision)).toBe(id);
      expect((await history.writes(revision, id))?.put).toMatchObject([{ value: String(revision) }]);
      expect(await history.writes(revision, "another")).toBeUndefined();
    }
    expect(await history.idOf(4)).toBeUndefined();
  });

  it("reads every state that was, with the versions that its records had", async () => {
    const first = await put("b", "1");
    await put("a", "2");
    await put("b", "3");
    await remove("a");
    await put("c", "5");
    expect(await texts(first - 1)).toEqual([]);
    expect(await texts(first)).toEqual(["b=1"]);
    expect(await texts(first + 1)).toEqual(["a=2", "b=1"]);
    expect(await texts(first + 2)).toEqual(["a=2", "b=3"]);
    expect(await texts(first + 3)).toEqual(["b=3"]);
    expect(await texts(first + 4)).toEqual(["b=3", "c=5"]);
    const b = await at(first + 1, (snapshot) => snapshot.getMany(P, ["b", "none", "a"]));
    expect(b).toEqual([
      { value: "1", version: String(first) },
      undefined,
      { value: "2", version: String(first + 1) },
    ]);
    const page = await at(first + 1, (snapshot) => snapshot.scan(P, { limit: 1, after: "a" }));
    expect(page).toEqual([{ key: "b", value: "1", version: String(first) }]);
  });

  it("keeps reading an earlier state while others write", async () => {
    const first = await put("a", "1");
    await put("a", "2");
    const snapshot = await harness.store.history.snapshotAt(first);
    await put("a", "3");
    expect(await snapshot.get(P, "a")).toEqual({ value: "1", version: String(first) });
    snapshot.release();
    await expect(snapshot.get(P, "a")).rejects.toMatchObject({ code: "internal" });
  });

  it("says what an entry wrote", async () => {
    await put("a", "1");
    const removed = await remove("a");
    const { history } = harness.store;
    expect(await history.writes(removed - 1)).toMatchObject({
      put: [{ partition: P, key: "a", value: "1" }],
      delete: [],
    });
    expect(await history.writes(removed)).toMatchObject({ put: [], delete: [{ partition: P, key: "a" }] });
    expect(await history.writes(removed + 1)).toBeUndefined();
  });

  it("goes back before a large commit that came while a small one was written", async () => {
    await put("k2407", "old");
    const many = Array.from({ length: 2_500 }, (_, index) => ({
      partition: P,
      key: `k${index}`,
      value: `${"é".repeat(200)}${index}`,
    }));
    const [small, large] = await Promise.all([
      harness.store.commit({ put: [{ partition: P, key: "k2407", value: "small" }] }),
      harness.store
        .commit({
          put: many,
          reads: { revision: revision(), keys: new Map([[P, new Set(["k2407"])]]), ranges: [] },
        })
        .catch(() => harness.store.commit({ put: many })),
    ]);
    expect(await texts(small)).toEqual(["k2407=small"]);
    expect(await at(large, (snapshot) => snapshot.get(P, "k2407"))).toEqual({
      value: `${"é".repeat(200)}2407`,
      version: String(large),
    });
    expect([...(await harness.store.history.writes(large))!.put]).toEqual(many);
    expect((await since(small)).map((entry) => entry.revision)).toEqual([large]);
  });

  it("finds the entries about a thing, newest first, page by page", async () => {
    const touch = (key: string, touched: CommittedChange["useCases"][number]["touched"]) =>
      harness.store.commit({ put: [{ partition: P, key, value: key }], ...(touched && { touched }) });
    const first = await touch("1", { users: ["alice"], groups: ["bob"] });
    await touch("2", { users: ["bob"] });
    await touch("3", { policies: ["alice"] });
    const fourth = await touch("4", { all: true });
    const fifth = await touch("5", { users: ["é", "alice"] });
    await touch("6", undefined);
    const about = async (name: string, before = Number.MAX_SAFE_INTEGER, limit = 100) =>
      (await harness.store.history.about({ kind: "user", name }, before, limit)).map((one) => one.revision);
    expect(await about("alice")).toEqual([fifth, fourth, first]);
    expect(await about("alice", fifth, 1)).toEqual([fourth]);
    expect(await about("alice", fourth, 1)).toEqual([first]);
    expect(await about("é")).toEqual([fifth, fourth]);
    expect(await about("nobody")).toEqual([fourth]);
    for (const before of [first, 1, 0]) expect(await about("alice", before)).toEqual([]);
    const seventh = await touch("7", { users: ["alice"] });
    expect(await about("alice", Number.MAX_SAFE_INTEGER, 2)).toEqual([seventh, fifth]);
  });

  it("forgets the past, and goes on", async () => {
    const first = await put("a", "1");
    const second = await put("a", "2");
    const { history } = harness.store;
    await history.forgetPast();
    expect(await history.keptFrom()).toBe(second);
    await expect(history.snapshotAt(first)).rejects.toMatchObject({ code: "not_found" });
    await expect(history.snapshotAt(second + 1)).rejects.toMatchObject({ code: "not_found" });
    expect(await history.writes(first)).toBeUndefined();
    await put("a", "3");
    expect(await texts(second)).toEqual(["a=2"]);
    expect(await texts(second + 1)).toEqual(["a=3"]);
    expect(await scan()).toHaveLength(1);
  });

  it("has the same log after it was reopened", async () => {
    if (!harness.canReopen) return;
    const first = await put("a", "1");
    await harness.store.commit({ delete: [{ partition: P, key: "a" }], touched: { users: ["alice"] } });
    const before = [harness.store.history.head, await since(0)];
    await harness.reopen();
    expect([harness.store.history.head, await since(0)]).toEqual(before);
    expect(await texts(first)).toEqual(["a=1"]);
    const about = await harness.store.history.about({ kind: "user", name: "alice" }, 1_000, 10);
    expect(about.map((one) => one.revision)).toEqual([first + 1]);
  });

  it("reads at each revision what stood there then, also by pages", async () => {
    const key = fc.constantFrom("a", "aa", "ab", "b", "é", "😀", "\uffff");
    const write = fc.record({ key, value: fc.option(fc.constantFrom("1", "2"), { nil: undefined }) });
    const commits = fc.array(
      fc.uniqueArray(write, { minLength: 1, maxLength: 4, selector: (one) => one.key }),
      {
        maxLength: 12,
      },
    );
    await fc.assert(
      fc.asyncProperty(commits, fc.integer({ min: 1, max: 3 }), async (all, limit) => {
        const states = new Map<number, readonly unknown[]>();
        for (const writes of all) {
          const puts: RecordPut[] = [];
          const deletes: RecordName[] = [];
          for (const { key: name, value } of writes) {
            if (value === undefined) deletes.push({ partition: P, key: name });
            else puts.push({ partition: P, key: name, value });
          }
          await harness.store.commit({ put: puts, delete: deletes });
          states.set(revision(), await scan());
        }
        for (const [when, expected] of states) {
          const found = await at(when, async (snapshot) => {
            const records: unknown[] = [];
            let after: string | undefined;
            for (;;) {
              const page = await snapshot.scan(P, { limit, ...(after !== undefined && { after }) });
              records.push(...page);
              if (page.length < limit) return records;
              after = page.at(-1)!.key;
            }
          });
          expect(found).toEqual(expected);
        }
      }),
      { numRuns: 15 },
    );
  });
}
