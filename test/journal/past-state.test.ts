/** Reads of earlier revisions, while the log changes under who reads them (spec/journal §4.2). */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Engine, entryName } from "../../src/journal/engine.ts";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import type { JournalStore } from "../../src/journal/journal-store.ts";
import { decodeHead } from "../../src/store/log-entry.ts";
import { openNode, sharedBy } from "./bed.ts";

const NEVER_MS = 86_400_000;
const A = { partition: "things", key: "a" };
const ABOUT = { kind: "user", name: "eva" } as const;

describe("an earlier revision", () => {
  let database: MemoryEngine;
  /** The database as the node reads it that is asked. */
  let engine: Engine;
  const opened: JournalStore[] = [];
  beforeEach(() => {
    database = new MemoryEngine({ entry: 1_400, part: 600 });
    engine = sharedBy(database);
  });
  afterEach(() => Promise.all(opened.splice(0).map((store) => store.close())));

  const open = async (of: Engine, keepMs = 0): Promise<JournalStore> => {
    const store = await openNode(of, { pollMs: NEVER_MS, keepMs });
    opened.push(store);
    return store;
  };
  const put = (store: JournalStore, value: string) =>
    store.commit({ put: [{ ...A, value }], touched: { users: [ABOUT.name] } });
  const valueAt = async (store: JournalStore, revision: number): Promise<readonly (string | undefined)[]> => {
    const record = await store.history.recordAt(revision, A);
    const snapshot = await store.history.snapshotAt(revision);
    try {
      return [record?.value, (await snapshot.get(A.partition, A.key))?.value];
    } finally {
      snapshot.release();
    }
  };
  /** Does something after the first look for a checkpoint. */
  const afterLook = (work: () => Promise<unknown>): void => {
    engine.newest = async (kind, upTo) => {
      const found = await database.newest(kind, upTo);
      engine.newest = (...asked) => database.newest(...asked);
      await work();
      return found;
    };
  };

  it("is read from the next checkpoint where the one before it is removed meanwhile", async () => {
    const store = await open(engine);
    await put(store, "one");
    await put(store, "two");
    await store.checkpoint();
    await put(store, "three");
    const slow = await open({ ...sharedBy(database), watch: () => () => {} });
    await put(store, "four");
    afterLook(() => slow.checkpoint());
    expect(await store.history.recordAt(3, A)).toMatchObject({ value: "three" });
    expect(await database.floor()).toBe(3);
    expect(await valueAt(store, 3)).toEqual(["three", "three"]);
  });

  it("is not kept where it is removed meanwhile", async () => {
    for (const read of ["recordAt", "snapshotAt"] as const) {
      const store = await open(engine);
      await put(store, "one");
      await put(store, "two");
      await put(store, "three");
      const { revision } = store.history.head;
      afterLook(() => store.checkpoint());
      await expect(store.history[read](revision - 1, A)).rejects.toMatchObject({ code: "not_found" });
    }
  });

  it("is not put together from two pasts of a log that went back", async () => {
    const store = await open(engine);
    for (const value of ["one", "two", "three"]) await put(store, value);
    const other = new MemoryEngine();
    const stranger = await open(other);
    for (const value of ["1", "2", "3"]) await put(stranger, value);
    const { entries } = engine;
    engine.entries = async (after, limit) => {
      engine.entries = entries;
      const own = await entries(after, 1);
      return { ...own, entries: [...own.entries, ...(await other.entries(1, limit - 1)).entries] };
    };
    expect(await store.history.recordAt(2, A)).toMatchObject({ value: "two" });
  });

  it("is refused where a part of what led to it is gone", async () => {
    const store = await open(engine, NEVER_MS);
    await put(store, "one");
    await put(store, "x".repeat(3_000));
    await put(store, "three");
    const { parts } = decodeHead((await database.read(entryName(2)))!);
    expect(parts).toBeDefined();
    await database.remove((await database.list("part", Number.MAX_SAFE_INTEGER, 100)).slice(1));
    const refusal = { code: "unavailable", message: expect.stringMatching(/2.*part.*is gone/) };
    await expect(store.history.recordAt(2, A)).rejects.toMatchObject(refusal);
    await expect(store.history.snapshotAt(2)).rejects.toMatchObject(refusal);
    await expect(store.history.writeOf(2, A)).rejects.toMatchObject(refusal);
  });

  it("is not left out silently of what led to a thing, where its entry is gone", async () => {
    const store = await open(engine, NEVER_MS);
    for (const value of ["one", "two", "three"]) await put(store, value);
    const about = () => store.history.about(ABOUT, Number.MAX_SAFE_INTEGER, 10);
    expect((await about()).map(({ revision }) => revision)).toEqual([3, 2, 1]);
    await database.remove([entryName(2)]);
    await expect(about()).rejects.toMatchObject({ code: "unavailable" });
    await database.raiseFloor(2);
    expect((await about()).map(({ revision }) => revision)).toEqual([3]);
  });
});
