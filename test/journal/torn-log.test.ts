/** A log that lacks an entry between others does not end there (spec/journal §3). */

import { afterEach, expect, it } from "vitest";
import { entryName } from "../../src/journal/engine.ts";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import type { JournalStore } from "../../src/journal/journal-store.ts";
import { rebuild } from "../../src/journal/rebuild.ts";
import { isTornAfter } from "../../src/journal/torn-log.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { openNode, SETTINGS, sharedBy } from "./bed.ts";

const nodes: JournalStore[] = [];
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.close();
});

/** A database with a log of five entries, of which one is gone; and the id of the first. */
async function withoutEntry(gone: number): Promise<{ readonly engine: MemoryEngine; readonly log: string }> {
  const engine = new MemoryEngine();
  const node = await openNode(sharedBy(engine));
  const put = (key: string) => node.commit({ put: [{ partition: "things", key, value: "x" }] });
  await put("a");
  const log = node.history.head.id;
  for (const key of ["b", "c", "d", "e"]) await put(key);
  await node.close();
  await engine.remove([entryName(gone)]);
  return { engine, log };
}

it("is no state for a new node, which says what is gone and makes no entry in its place", async () => {
  const { engine } = await withoutEntry(3);
  const settings = { ...SETTINGS, commitTimeoutMs: 200 };
  await expect(openNode(sharedBy(engine), settings)).rejects.toThrow(/follows entry 2 of the log is gone/);
  expect(await engine.read(entryName(3))).toBeUndefined();
});

it("does not take the place of a copy", async () => {
  const { engine, log } = await withoutEntry(3);
  const replica = openMemoryStore({ isReplica: true });
  await expect(rebuild({ engine, replica, assertKnown: () => {} }, log)).rejects.toMatchObject({
    kind: "broken_log",
    message: expect.stringContaining("entry 3 is gone, and a later one is there"),
  });
  expect(replica.state().revision).toBe(0);
});

it("is told from an end, and from an entry that is made while one looks", async () => {
  const { engine } = await withoutEntry(3);
  expect(await isTornAfter(engine, 5)).toBe(false);
  expect(await isTornAfter(engine, 2)).toBe(true);
  await engine.remove([entryName(4)]);
  expect(await isTornAfter(engine, 2)).toBe(true);
  const made = { firstAfter: async () => 4, read: async () => Buffer.from("x") };
  expect(await isTornAfter(made, 2)).toBe(false);
});

it("is told where a hundred entries are gone", async () => {
  const { engine } = await withoutEntry(3);
  await engine.create(entryName(106), Buffer.from("x"));
  expect(await isTornAfter(engine, 5)).toBe(true);
});
