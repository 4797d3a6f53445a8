/** Copying a log from one store into another: same ids, same states, same versions, and nodes go on from there. */

import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { copyLog, EngineTarget } from "../../src/journal/copy-log.ts";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import { openLocalImport } from "../../src/store/local/import-log.ts";
import { openLocalStore } from "../../src/store/local/local-store.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import type { Store, VersionedRecord } from "../../src/store/port.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { openNode, sharedBy } from "./bed.ts";

let folder: string;
const open: Store[] = [];
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  for (const store of open.splice(0)) await store.close();
});

function kept<S extends Store>(store: S): S {
  open.push(store);
  return store;
}

/** Writes that go over parts, with names, removals and records of several partitions. */
async function fill(store: Store, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await store.commit({
      put: [
        { partition: "user", key: `é${round % 3}`, value: `${round} ${"x".repeat(round * 5_000)}` },
        { partition: "policy", key: "p", value: String(round) },
      ],
      delete: [{ partition: "zone", key: `z${round - 1}` }],
      actor: `admin ${round}`,
      touched: { users: [`é${round % 3}`] },
      change: { users: [`id-${round}`] },
    });
    await store.commit({ put: [{ partition: "zone", key: `z${round}`, value: "here" }] });
  }
}

async function recordsAt(store: Store, revision: number): Promise<readonly VersionedRecord[]> {
  const found: VersionedRecord[] = [];
  for await (const page of store.history.records(revision)) found.push(...page);
  return found;
}

/** Everything that two equal logs have in common. */
async function logOf(store: Store): Promise<unknown> {
  const { history } = store;
  const from = await history.keptFrom();
  const states: unknown[] = [];
  const writes: unknown[] = [];
  for (let revision = from; revision <= history.head.revision; revision++) {
    states.push(await recordsAt(store, revision));
    if (revision === from) continue;
    const written = await history.writes(revision);
    writes.push(written && { ...written, put: [...written.put] });
  }
  return { head: history.head, from, entries: await store.changes(from, 1_000), states, writes };
}

it.each([
  ["from its beginning", false],
  ["from the oldest state that is kept", true],
])("copies a log %s: local to an engine, and back", async (_, forget) => {
  const source = kept(await openLocalStore({ path: join(folder, "source"), syncWrites: false }));
  await fill(source, 4);
  if (forget) {
    await source.history.forgetPast();
    await fill(source, 3);
  }
  const engine = new MemoryEngine({ entry: 2_000, part: 3_000 });
  const report = await copyLog(source, new EngineTarget(engine));
  const from = forget ? 8 : 0;
  expect(report).toEqual({ from, to: forget ? 14 : 8, entries: forget ? 6 : 8 });
  const expected = await logOf(source);

  const node = kept(await openNode(sharedBy(engine)));
  expect(await logOf(node)).toEqual(expected);
  const back = await openLocalImport(join(folder, "back"));
  expect(await copyLog(node, back)).toEqual(report);
  await back.close();
  const again = kept(await openLocalStore({ path: join(folder, "back"), syncWrites: false }));
  expect(await logOf(again)).toEqual(expected);
  const about = await again.history.about({ kind: "user", name: "é1" }, 1_000, 100);
  expect(about.map((entry) => entry.revision)).toEqual(
    (await source.history.about({ kind: "user", name: "é1" }, 1_000, 100)).map((entry) => entry.revision),
  );

  // Both go on with the next revision, and a second node follows.
  const other = kept(await openNode(sharedBy(engine)));
  expect(await node.commit({ put: [{ partition: "user", key: "new", value: "1" }] })).toBe(report.to + 1);
  await other.catchUp();
  expect(other.revision).toBe(report.to + 1);
  expect(await again.commit({ put: [{ partition: "user", key: "new", value: "1" }] })).toBe(report.to + 1);
});

it("refuses a target that has a log", async () => {
  const source = kept(openMemoryStore());
  await fill(source, 1);
  const engine = new MemoryEngine();
  await copyLog(source, new EngineTarget(engine));
  await expect(copyLog(source, new EngineTarget(engine))).rejects.toMatchObject({ code: "invalid_request" });
  const local = await openLocalImport(join(folder, "local"));
  await copyLog(source, local);
  await expect(copyLog(source, local)).rejects.toMatchObject({ code: "invalid_request" });
  await local.close();
});

it("copies an empty log as an empty log", async () => {
  const engine = new MemoryEngine();
  const report = await copyLog(kept(openMemoryStore()), new EngineTarget(engine));
  expect(report).toEqual({ from: 0, to: 0, entries: 0 });
  expect((await openNode(sharedBy(engine)).then(kept)).revision).toBe(0);
});

it("forgets the past with the parts of its entries", async () => {
  const engine = new MemoryEngine({ entry: 2_000, part: 3_000 });
  const node = kept(await openNode(sharedBy(engine)));
  await fill(node, 3);
  const parts = () => engine.list("part", Number.MAX_SAFE_INTEGER, 1_000);
  expect((await parts()).length).toBeGreaterThan(3);
  await node.history.forgetPast();
  expect(await parts()).toEqual([]);
  await fill(node, 3);
  const other = kept(await openNode(sharedBy(engine)));
  expect(await logOf(other)).toEqual(await logOf(node));
});
