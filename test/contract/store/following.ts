/** Following: revisions, read-sets, and the changes that those who follow hear of. */

import { expect, it } from "vitest";
import type { Commit, ReadSet } from "../../../src/store/port.ts";
import { P, type StoreHarness } from "./harness.ts";

/** Declares this part of the contract. */
export function describeFollowing(harness: StoreHarness): void {
  const { put, remove, refused, read, hasVersion } = harness;
  const revision = () => read(async (snapshot) => snapshot.revision);
  const write: Commit = { put: [{ partition: P, key: "result", value: "x" }] };
  const reads = (
    at: number,
    { keys = [], ranges = [] }: { keys?: string[]; ranges?: ReadSet["ranges"] },
  ): ReadSet => ({ revision: at, keys: new Map([[P, new Set(keys)]]), ranges });
  const range = (prefix: string, after?: string, upTo?: string) => ({ partition: P, prefix, after, upTo });

  it("numbers commits one by one, and gives a record the revision that wrote it as its version", async () => {
    const first = await revision();
    expect(await put("a")).toBe(first + 1);
    expect(await harness.store.commit({})).toBe(first + 1);
    expect(await put("b")).toBe(first + 2);
    expect(await remove("a")).toBe(first + 3);
    expect(await revision()).toBe(first + 3);
    expect(await harness.version("b")).toBe(String(first + 2));
  });

  it("keeps the revision of a snapshot while others write", async () => {
    const snapshot = await harness.store.snapshot();
    const before = snapshot.revision;
    await put("a");
    expect(snapshot.revision).toBe(before);
    snapshot.release();
  });

  it.each<[string, string, { keys?: string[]; ranges?: ReadSet["ranges"] }, boolean]>([
    ["a key that was read", "a/2", { keys: ["a/2"] }, false],
    ["another key", "a/2", { keys: ["a/1", "a/22"] }, true],
    ["a key with the prefix of a scan", "a/2", { ranges: [range("a/")] }, false],
    ["a key with another prefix", "a/2", { ranges: [range("b/")] }, true],
    ["the last key of a scan that was cut", "a/2", { ranges: [range("a/", undefined, "a/2")] }, false],
    ["a key behind the end of a scan that was cut", "a/2", { ranges: [range("a/", undefined, "a/1")] }, true],
    ["the key that a scan began after", "a/2", { ranges: [range("a/", "a/2")] }, true],
    ["a key in the middle of a page", "a/2", { ranges: [range("", "a/1", "a/3")] }, false],
    ["a key of another partition", "a/2", { ranges: [{ ...range("a/"), partition: "others" }] }, true],
  ])("compares what was read with a later write of %s", async (_, key, what, passes) => {
    for (const change of [() => put(key), () => remove(key)]) {
      await put(key);
      const at = await revision();
      await change();
      const commit = { ...write, reads: reads(at, what) };
      if (passes) await harness.store.commit(commit);
      else await refused(commit, "conflict");
      await harness.store.commit({ ...write, reads: reads(await revision(), what) });
    }
  });

  it("refuses what was read before everything that it remembers", async () => {
    await put("a");
    const at = await revision();
    const many = Array.from({ length: 60_000 }, (_, index) => ({
      partition: P,
      key: `k${index}`,
      value: "",
    }));
    await harness.store.commit({ put: many });
    await harness.store.commit({ ...write, reads: reads(at, { keys: ["a"] }) });
    await harness.store.commit({ put: many });
    await refused({ ...write, reads: reads(at, { keys: ["a"] }) }, "conflict");
  });

  it("tells each commit to who follows, in order, before the writer hears of it", async () => {
    const heard: unknown[] = [];
    const stop = harness.store.subscribe(({ revision: at, change }) => heard.push([at, change]));
    const first = await revision();
    await harness.store.commit({ ...write, change: { users: ["é"] } });
    expect(heard).toEqual([[first + 1, { users: ["é"] }]]);
    await refused({ ...write, expect: [hasVersion("none", "1")] }, "conflict");
    await harness.store.commit({});
    await Promise.all(Array.from({ length: 20 }, (_, index) => put(`k${index}`)));
    // Commits that wait together may become one revision.
    const revisions = heard.map((one) => (one as [number])[0]);
    expect(revisions).toEqual(Array.from({ length: heard.length }, (_, index) => first + 1 + index));
    expect(revisions.at(-1)).toBe(await revision());
    stop();
    const before = heard.length;
    await put("a");
    expect(heard).toHaveLength(before);
  });

  it("lists the commits after a revision, and says where they are no longer kept", async () => {
    const first = await revision();
    for (const users of [["a"], ["b"], ["c"]]) await harness.store.commit({ ...write, change: { users } });
    const all = await harness.store.changes(first, 10);
    expect(all?.map(({ revision: at, change }) => [at, change])).toEqual([
      [first + 1, { users: ["a"] }],
      [first + 2, { users: ["b"] }],
      [first + 3, { users: ["c"] }],
    ]);
    expect(all?.every(({ at }) => Math.abs(Date.parse(at) - Date.now()) < 60_000)).toBe(true);
    expect(await harness.store.changes(first + 1, 1)).toEqual([all![1]]);
    expect(await harness.store.changes(first + 3, 10)).toEqual([]);
    await harness.store.history.forgetPast();
    expect(await harness.store.changes(first, 10)).toBeUndefined();
    expect(await harness.store.changes(first + 3, 2)).toEqual([]);
  });

  it("goes on with revisions and changes where it was before it was reopened", async () => {
    if (!harness.canReopen) return;
    const first = await put("a");
    await harness.store.commit({ ...write, change: { users: ["a"] } });
    await harness.reopen();
    expect(await revision()).toBe(first + 1);
    expect((await harness.store.changes(first, 5))?.[0]?.change).toEqual({ users: ["a"] });
    expect(await put("b")).toBe(first + 2);
  });
}
