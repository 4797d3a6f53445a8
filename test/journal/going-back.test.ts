/** A log that went back, is gone, or is another one: what a node's copy does (spec/journal §3). */

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { copyLog, EngineTarget } from "../../src/journal/copy-log.ts";
import { type Engine, entryName } from "../../src/journal/engine.ts";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import { guardedLogs } from "../../src/journal/guard.ts";
import type { JournalOptions } from "../../src/journal/journal-options.ts";
import type { JournalStore } from "../../src/journal/journal-store.ts";
import type { LostLine } from "../../src/journal/lost-entries.ts";
import { openCopyStore } from "../../src/store/local/copy-store.ts";
import { openLocalReplica } from "../../src/store/local/open-replica.ts";
import { replacedCopies } from "../../src/store/local/replaced-copies.ts";
import { withSnapshot } from "../../src/store/port.ts";
import { openNode, sharedBy } from "./bed.ts";

const P = "things";
const ALL = Number.MAX_SAFE_INTEGER;

const stores: JournalStore[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "going-back-"));
  folders.push(folder);
  return join(folder, "copy");
}

async function open(
  engine: Engine,
  path?: string,
  options: Partial<JournalOptions> = {},
  settings = {},
): Promise<JournalStore> {
  const replica = path === undefined ? {} : { replica: await openLocalReplica({ path }) };
  const store = await openNode(engine, { pollMs: 3_600_000, ...settings }, { ...replica, ...options });
  stores.push(store);
  return store;
}

const put = (store: JournalStore, key: string, value = key) =>
  store.commit({
    put: [{ partition: P, key, value }],
    actor: "ann",
    touched: { users: [key] },
  });
const remove = (store: JournalStore, key: string) => store.commit({ delete: [{ partition: P, key }] });
const keys = (store: JournalStore) =>
  withSnapshot(store, async (snapshot) => (await snapshot.scan(P, { limit: 100 })).map(({ key }) => key));
/** Takes the newest entries out of a log, and says so as a broken connection does. */
async function lose(engine: MemoryEngine, store: JournalStore, ...revisions: number[]): Promise<void> {
  await engine.remove(revisions.map(entryName));
  await doubt(engine, store);
}
/** A call that fails makes a node look whether its log is still there. */
async function doubt(engine: MemoryEngine, store: JournalStore): Promise<void> {
  const { entries } = engine;
  engine.entries = () => Promise.reject(new Error("the connection was lost"));
  await store.catchUp().catch(() => undefined);
  engine.entries = entries;
}
const linesOf = (file: string): LostLine[] =>
  readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as LostLine);

it.each([true, false])(
  "nothing is answered from a state that is not whole (copy in a folder: %s)",
  async (isInFolder) => {
    const engine = new MemoryEngine();
    const store = await open(engine, isInFolder ? newFolder() : undefined);
    for (const key of ["a", "b", "c", "d"]) await put(store, key);
    const logId = store.logId;
    const seen: unknown[] = [];
    const stop = store.subscribe(({ revision }) => seen.push(revision));
    await engine.remove([entryName(3), entryName(4)]);
    const gate = Promise.withResolvers<void>();
    const read = engine.entries.bind(engine);
    engine.entries = async (after, limit) => {
      if (after === 2) await gate.promise;
      return read(after, limit);
    };
    await doubt(engine, store);
    await expect.poll(() => store.copyState?.().kind).toBe("rebuilding");
    expect(await keys(store)).toEqual(["a", "b", "c", "d"]);
    expect([store.logId, store.revision, seen]).toEqual([logId, 4, []]);
    await store.health();
    await expect(put(store, "e")).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("makes a new copy"),
    });
    gate.resolve();
    await store.catchUp();
    expect(await keys(store)).toEqual(["a", "b"]);
    expect([store.logId, store.revision, seen]).toEqual([logId, 2, [2]]);
    expect(store.copyState?.().kind).toBe("whole");
    stop();
  },
);

it("what the log lost is in a file, and the former copies are kept: the newest two", async () => {
  const engine = new MemoryEngine();
  const path = newFolder();
  const store = await open(engine, path);
  for (const key of ["a", "b", "c"]) await put(store, key);
  await put(store, "a", "changed");
  await remove(store, "b");
  await lose(engine, store, 4, 5);
  await store.catchUp();
  await expect.poll(() => store.copyState?.().wentBack?.file).toBeDefined();
  const { wentBack } = store.copyState!();
  expect(wentBack).toMatchObject({ from: 5, common: 3, lost: 2 });
  const file = wentBack!.file!;
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(linesOf(file)).toEqual([
    expect.objectContaining({ kind: "lost", common: 3, to: 5 }),
    expect.objectContaining({
      kind: "entry",
      revision: 4,
      useCases: [{ actor: "ann", touched: { users: ["a"] } }],
    }),
    expect.objectContaining({ kind: "entry", revision: 5 }),
    { kind: "put", partition: P, key: "a", value: "changed", version: 4 },
    { kind: "delete", partition: P, key: "b" },
    { kind: "end", entries: 2, records: 2 },
  ]);
  expect(replacedCopies(path)).toHaveLength(1);
  for (const key of ["x", "y"]) {
    const revision = await put(store, key);
    await lose(engine, store, revision);
    await store.catchUp();
  }
  await store.close();
  expect(replacedCopies(path)).toHaveLength(2);
  expect(readdirSync(path).filter((name) => name.startsWith("lost-"))).toHaveLength(3);
  const again = await open(engine, path);
  expect(await keys(again)).toEqual(["a", "b", "c"]);
  expect(replacedCopies(path)).toHaveLength(2);
});

it("an emptied database is not followed: the copy stays, grows old, and a guard forbids a new log", async () => {
  const engine = new MemoryEngine();
  const store = await open(engine, undefined, {}, { maxStalenessMs: 60_000 });
  for (const key of ["a", "b"]) await put(store, key);
  const before = store.copyState!().stopsAt;
  const names = await engine.list("entry", ALL, ALL);
  await engine.remove(names);
  await doubt(engine, store);
  await expect(store.catchUp()).rejects.toThrow("has no log any more");
  expect(await keys(store)).toEqual(["a", "b"]);
  expect(store.copyState?.()).toMatchObject({ kind: "no_log", hasContact: false });
  expect(store.copyState!().stopsAt - before).toBeLessThan(60_000);
  await expect(put(store, "c")).rejects.toMatchObject({ code: "unavailable" });
  expect(await guardedLogs(engine)).toEqual([store.history.head.log]);
  const creation = { isAllowed: true, waitMs: 0 };
  const fresh = await open(sharedBy(engine), undefined, { creation });
  await expect(put(fresh, "x")).rejects.toThrow("no new one is begun");
  expect(await engine.list("entry", ALL, ALL)).toEqual([]);
});

it("a fresh node waits for guards before it begins a log, and begins none where that is forbidden", async () => {
  const engine = new MemoryEngine();
  let guard = async () => {};
  const clock = {
    now: () => performance.now(),
    delay: () => guard(),
  };
  const fresh = await open(engine, undefined, { creation: { isAllowed: true, waitMs: 1_000 }, clock });
  guard = async () => {
    await engine.create({ kind: "usage", number: 0, name: "guard/abcdefghij" }, Buffer.from("{}"));
  };
  await expect(put(fresh, "x")).rejects.toThrow("copies of log abcdefgh");
  const forbidden = await open(new MemoryEngine(), undefined, { creation: { isAllowed: false, waitMs: 0 } });
  await expect(put(forbidden, "x")).rejects.toThrow("create_log is false");
  const allowed = await open(new MemoryEngine(), undefined, { creation: { isAllowed: true, waitMs: 1 } });
  expect(await put(allowed, "x")).toBe(1);
});

it("a log that lacks its beginning is not followed", async () => {
  const engine = new MemoryEngine();
  const store = await open(engine);
  for (const key of ["a", "b", "c"]) await put(store, key);
  await lose(engine, store, 1, 3);
  await expect(store.catchUp()).rejects.toThrow("lacks the beginning");
  expect(await keys(store)).toEqual(["a", "b", "c"]);
  expect(store.copyState?.().kind).toBe("broken_log");
});

it("a copy is put into an emptied database while its node runs, and the node goes on from it", async () => {
  const engine = new MemoryEngine();
  const path = newFolder();
  const store = await open(engine, path);
  for (const key of ["a", "b", "c"]) await put(store, key);
  const { log } = store.history.head;
  await engine.remove(await engine.list("entry", ALL, ALL));
  await doubt(engine, store);
  await expect(store.catchUp()).rejects.toThrow("has no log any more");
  const source = openCopyStore(path);
  await copyLog(source, new EngineTarget(engine), source.recent);
  await source.close();
  await store.catchUp();
  expect(store.copyState?.()).toMatchObject({ kind: "whole", hasContact: true });
  expect(store.counters.rewound).toBe(0);
  expect(await guardedLogs(engine)).toEqual([]);
  expect(await put(store, "d")).toBe(4);
  const fresh = await open(sharedBy(engine));
  expect(await keys(fresh)).toEqual(["a", "b", "c", "d"]);
  expect(fresh.history.head.log).toBe(log);
});

it("checkpoints of a large directory are not due by the number of entries alone", async () => {
  const engine = new MemoryEngine();
  const store = await open(engine, undefined, {}, { checkpointEvery: 3 });
  await put(store, "large", "x".repeat(100_000));
  for (let index = 0; index < 3; index++) await put(store, `a${index}`);
  await expect.poll(() => store.counters.checkpoints).toBe(1);
  for (let index = 0; index < 9; index++) await put(store, `b${index}`);
  await put(store, "more", "x".repeat(50_000));
  await put(store, "c");
  expect(store.counters.checkpoints).toBe(1);
  await put(store, "last", "x".repeat(60_000));
  await expect.poll(() => store.counters.checkpoints).toBe(2);
});
