/** Empty copies that join a log with an entry in parts (spec/journal §3.3). */

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as joinPath } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import type { JournalStore } from "../../src/journal/journal-store.ts";
import { openLocalReplica } from "../../src/store/local/open-replica.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { withSnapshot } from "../../src/store/port.ts";
import type { Replica } from "../../src/store/replica.ts";
import { openNode, sharedBy } from "./bed.ts";

const P = "things";
/** Everything is kept, and no checkpoint is written. */
const KEPT = { keepMs: 3_600_000 };
/** Records of which an entry has parts, some of them within a line. */
const MANY = 2_000;
const SMALL_PARTS = { entry: 4 * 1024, part: 10_007 };

const keyOf = (index: number): string => `k${String(index).padStart(5, "0")}`;
const records = (value: string) =>
  Array.from({ length: MANY }, (_, index) => ({
    partition: P,
    key: keyOf(index),
    value: `${value} ${index} ä`,
  }));
const values = (store: JournalStore) =>
  withSnapshot(store, (snapshot) => snapshot.scan(P, { limit: 10_000 }));

describe.each(["in a folder", "in memory"])("an empty copy %s", (where) => {
  let folder: string;
  let engine: MemoryEngine;
  let writer: JournalStore;
  let copies = 0;
  const opened: JournalStore[] = [];
  /** Entries that a copy took one by one. */
  let taken: number[] = [];

  beforeEach(async () => {
    folder = mkdtempSync(joinPath(tmpdir(), "join-"));
    engine = new MemoryEngine(SMALL_PARTS);
    taken = [];
    writer = await openNode(sharedBy(engine), KEPT);
    opened.push(writer);
    await writer.commit({ put: [{ partition: P, key: "first", value: "x" }] });
    await writer.commit({ put: records("old") });
    await writer.commit({
      put: records("new").slice(0, 1_500),
      delete: [{ partition: P, key: keyOf(1_999) }],
    });
    await writer.commit({ put: [{ partition: P, key: "last", value: "x" }] });
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.close()));
    rmSync(folder, { recursive: true, force: true });
  });

  const openCopy = async (): Promise<Replica> => {
    const replica =
      where === "in memory"
        ? openMemoryStore({ isReplica: true })
        : await openLocalReplica({ path: joinPath(folder, `copy${copies++}`) });
    const { applyEntry } = replica;
    replica.applyEntry = (entry, writes) => {
      taken.push(entry.revision);
      return applyEntry.call(replica, entry, writes);
    };
    return replica;
  };
  const joined = async (replica?: Replica): Promise<JournalStore> => {
    const store = await openNode(sharedBy(engine), KEPT, { replica: replica ?? (await openCopy()) });
    opened.push(store);
    return store;
  };

  it("is filled beside it, and follows from there", async () => {
    const store = await joined();
    expect(taken).toEqual([]);
    expect(store.revision).toBe(4);
    expect(store.counters).toMatchObject({ applied: 4, rewound: 0 });
    expect(await values(store)).toEqual(await values(writer));
    expect(await values(store)).toHaveLength(MANY + 1);
    expect(store.history.head).toEqual(writer.history.head);
    await writer.commit({ put: [{ partition: P, key: "later", value: "x" }] });
    await store.catchUp();
    expect(taken).toEqual([5]);
    await store.commit({ put: [{ partition: P, key: "own", value: "x" }] });
    await writer.catchUp();
    expect(await values(store)).toEqual(await values(writer));
  });

  it("stays empty where a part is damaged, and says so", async () => {
    const [part] = await engine.list("part", Number.MAX_SAFE_INTEGER, 1);
    const item = (await engine.read(part!))!;
    item[item.length - 100]! ^= 1;
    const replica = await openCopy();
    await expect(joined(replica)).rejects.toThrow("entry 2 of the log is damaged");
    expect(taken).toEqual([]);
  });

  it("stays empty where a part is gone, and says so", async () => {
    await engine.remove(await engine.list("part", Number.MAX_SAFE_INTEGER, 1));
    await expect(joined()).rejects.toThrow("what follows entry 1 of the log is gone");
  });

  if (where === "in memory") return;
  it("leaves one folder, which the next process goes on with", async () => {
    const path = joinPath(folder, "kept");
    const first = await joined(await openLocalReplica({ path }));
    const all = await values(first);
    await first.close();
    expect(readdirSync(path).filter((name) => name.startsWith("copy-"))).toHaveLength(1);
    const again = await openLocalReplica({ path });
    expect(again.position?.()).toMatchObject({ revision: 4, log: writer.history.head.log });
    expect(await values(await joined(again))).toEqual(all);
  });
});
