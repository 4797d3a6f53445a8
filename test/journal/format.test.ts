/** The format of a log: nodes write that of the log, an entry raises it, and nodes that do not know it stop. */

import { afterEach, expect, it } from "vitest";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import type { JournalStore } from "../../src/journal/journal-store.ts";
import { LOG_FORMAT } from "../../src/store/log-entry.ts";
import { openNode, sharedBy } from "./bed.ts";

const NEWER = LOG_FORMAT + 1;
const open: JournalStore[] = [];
afterEach(async () => {
  for (const store of open.splice(0)) await store.close();
});

async function node(engine: MemoryEngine, knownFormat: number): Promise<JournalStore> {
  const store = await openNode(sharedBy(engine), {}, { knownFormat });
  open.push(store);
  return store;
}

const write = (store: JournalStore, value: string) =>
  store.commit({ put: [{ partition: "p", key: "k", value }] });

it("stays until it is raised, so that nodes of two versions share a log", async () => {
  const engine = new MemoryEngine();
  const older = await node(engine, LOG_FORMAT);
  await write(older, "1");
  const newer = await node(engine, NEWER);
  await write(newer, "2");
  await older.catchUp();
  expect(older.revision).toBe(2);
  await older.health();
});

it("is raised by an entry of its own: older nodes stop before it, are not ready, and say what they need", async () => {
  const engine = new MemoryEngine();
  const older = await node(engine, LOG_FORMAT);
  await write(older, "1");
  const newer = await node(engine, NEWER);
  expect(await newer.upgradeLog!()).toEqual({ from: LOG_FORMAT, to: NEWER });
  expect(newer.revision).toBe(2);
  await write(newer, "3");
  await expect(older.catchUp()).rejects.toMatchObject({ code: "unavailable" });
  expect(older.revision).toBe(1);
  await expect(older.health()).rejects.toThrow(new RegExp(`knows up to ${LOG_FORMAT}: use a newer program`));
  await expect(write(older, "x")).rejects.toMatchObject({ code: "unavailable" });
  expect(await newer.upgradeLog!()).toEqual({ from: NEWER, to: NEWER });
  expect(newer.revision).toBe(3);
});

it("is that of a checkpoint, too", async () => {
  const engine = new MemoryEngine();
  const newer = await node(engine, NEWER);
  await write(newer, "1");
  await newer.checkpoint();
  await expect(node(engine, LOG_FORMAT)).rejects.toThrow(/use a newer program/);
  const another = await node(engine, NEWER);
  await write(another, "2");
  expect(await another.upgradeLog!()).toEqual({ from: NEWER, to: NEWER });
});
