/** A database that is put back to an earlier moment while a node is at work (spec/journal §3). */

import { afterEach, expect, it } from "vitest";
import { SYSTEM_CLOCK } from "../../src/journal/clock.ts";
import { createJournalCounters } from "../../src/journal/counters.ts";
import { checkpointName, type Engine, type ItemName } from "../../src/journal/engine.ts";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import type { JournalStore } from "../../src/journal/journal-store.ts";
import { LogNode } from "../../src/journal/node.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { withSnapshot } from "../../src/store/port.ts";
import { openNode, sharedBy } from "./bed.ts";
import { restorable } from "./restorable.ts";

const P = "things";
const ALL = Number.MAX_SAFE_INTEGER;

const stores: JournalStore[] = [];
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
});

async function open(engine: Engine, settings = {}): Promise<JournalStore> {
  const store = await openNode(engine, settings);
  stores.push(store);
  return store;
}

const put = (store: JournalStore, key: string, value = "v") =>
  store.commit({ put: [{ partition: P, key, value }] });
const keys = (store: JournalStore) =>
  withSnapshot(store, async (snapshot) => (await snapshot.scan(P, { limit: 100 })).map(({ key }) => key));

it("a checkpoint that is being written is not made known, and nothing is removed", async () => {
  const { engine, save, putBack } = restorable();
  const store = await open(engine);
  for (const key of ["a", "b"]) await put(store, key);
  await save();
  const { create } = engine;
  engine.create = async (name, item) => {
    const made = await create(name, item);
    if (name.kind === "piece") {
      engine.create = create;
      putBack();
    }
    return made;
  };
  await expect(store.checkpoint()).rejects.toThrow("may have lost what was written");
  expect(await engine.read(checkpointName(2))).toBeUndefined();
  expect(await engine.floor()).toBe(0);
  expect(await keys(await open(sharedBy(engine)))).toEqual(["a", "b"]);
});

it("a floor that was raised for a checkpoint is not trusted: what came back with a lower one stays", async () => {
  const { engine, save, putBack } = restorable();
  const store = await open(engine);
  for (const key of ["a", "b"]) await put(store, key);
  await save();
  const { list } = engine;
  engine.list = async (kind, upTo, limit) => {
    const names = await list(kind, upTo, limit);
    if (kind === "entry") {
      engine.list = list;
      putBack();
    }
    return names;
  };
  await expect(store.checkpoint()).rejects.toThrow("may have lost what was written");
  expect((await engine.entries(0, 10)).entries).toHaveLength(2);
  expect(await keys(await open(sharedBy(engine)))).toEqual(["a", "b"]);
});

it("a large commit whose parts were lost gets no entry: no node could read it", async () => {
  const { engine, save, putBack } = restorable();
  const store = await open(engine);
  await put(store, "a");
  await save();
  const { create } = engine;
  engine.create = async (name: ItemName, item) => {
    if (name.kind !== "entry") return create(name, item);
    engine.create = create;
    putBack();
    throw new Error("the connection was lost");
  };
  await expect(put(store, "large", "x".repeat(5_000))).rejects.toMatchObject({ code: "outcome_unknown" });
  await expect.poll(() => put(store, "b").catch(() => 0)).toBe(2);
  expect(await keys(await open(sharedBy(engine)))).toEqual(["a", "b"]);
});

it("an entry that was lost before it was acknowledged is created again", async () => {
  const { engine, save, putBack } = restorable();
  const store = await open(engine);
  await put(store, "a");
  await save();
  const { create } = engine;
  engine.create = async (name, item) => {
    const made = await create(name, item);
    engine.create = create;
    putBack();
    return made;
  };
  expect(await put(store, "b")).toBe(2);
  expect((await engine.entries(0, 10)).entries).toHaveLength(2);
  expect(await keys(await open(sharedBy(engine)))).toEqual(["a", "b"]);
});

it("an absent entry proves nothing before the log is verified", async () => {
  const engine = new MemoryEngine();
  const replica = openMemoryStore({ isReplica: true });
  const parts = {
    engine,
    replica,
    counters: createJournalCounters(),
    clock: SYSTEM_CLOCK,
    onRewound: () => {},
  };
  const node = new LogNode(parts);
  await node.follow();
  expect(node.age).toBe(Number.POSITIVE_INFINITY);
  await node.verifyIfDoubted();
  await node.follow();
  expect(node.age).toBeLessThan(10_000);
});

it("a checkpoint that lacks a piece is an error, not a reason to read it for ever", async () => {
  const { engine } = restorable();
  const store = await open(engine);
  await put(store, "a");
  await store.checkpoint();
  await engine.remove(await engine.list("piece", ALL, ALL));
  await expect(openNode(sharedBy(engine))).rejects.toThrow("checkpoint 1 of the log is damaged");
});

it("a floor without its checkpoint is waited for, and then an error", async () => {
  const { engine } = restorable();
  let reads = 0;
  const entries = engine.entries.bind(engine);
  engine.entries = (after, limit) => {
    reads += 1;
    return entries(after, limit);
  };
  await engine.raiseFloor(1);
  await expect(openNode(engine)).rejects.toThrow("what follows entry 0 of the log is gone");
  expect(reads).toBeLessThan(30);
});

it("a node that cannot follow in another one's turn says that nothing was changed", async () => {
  const { engine } = restorable();
  const other = await open(engine);
  await put(other, "a");
  const failing: Engine = sharedBy(engine);
  const store = await open(failing, { pollMs: 3_600_000 });
  await other.takeTurn();
  await store.catchUp();
  failing.entries = () => Promise.reject(new Error("the connection was lost"));
  await expect(put(store, "b")).rejects.toMatchObject({ code: "unavailable" });
});
