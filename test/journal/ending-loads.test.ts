/** A node that ends does not wait for a state that it loads (spec/journal §3). */

import { afterEach, expect, it } from "vitest";
import type { Engine, ItemKind } from "../../src/journal/engine.ts";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import type { JournalStore } from "../../src/journal/journal-store.ts";
import { openLocalReplica } from "../../src/store/local/open-replica.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { type Cable, openNode, sharedBy } from "./bed.ts";

/** Items are small, so that a state has many. */
const SMALL = { entry: 4 * 1024, part: 4 * 1024 };
const VALUE = "v".repeat(3_000);
const WRITES = 40;

const opened: JournalStore[] = [];
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});

async function fill(store: JournalStore, count = WRITES): Promise<void> {
  for (let index = 0; index < count; index++) {
    await store.commit({ put: [{ partition: "things", key: `k${index}`, value: VALUE }] });
  }
}

/** An engine whose reads of a kind are counted once `seen` is set to 0, and wait from the second on. */
function slowAt(kind: ItemKind | "entries", engine: Engine, cable: Cable) {
  const shared = sharedBy(engine, cable);
  const [begun, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const seen = { reads: Number.NEGATIVE_INFINITY };
  const read = async () => {
    if (cable.cut || ++seen.reads < 2) return;
    begun.resolve();
    await goesOn.promise;
  };
  const slow: Engine = {
    ...shared,
    read: async (name) => {
      if (name.kind === kind) await read();
      return shared.read(name);
    },
    entries: async (after, limit) => {
      const page = await shared.entries(after, limit);
      if (kind === "entries" && page.entries.length > 0) await read();
      return page;
    },
  };
  return { slow, seen, begun: begun.promise, goOn: () => goesOn.resolve() };
}

it.each([
  ["in a folder", () => openLocalReplica({ path: temporaryFolder() })],
  ["in memory", async () => openMemoryStore({ isReplica: true })],
])("a checkpoint that a node loads %s is broken off at its next piece", async (_, openReplica) => {
  const engine = new MemoryEngine(SMALL);
  const writer = await openNode(sharedBy(engine));
  opened.push(writer);
  await fill(writer, 1);
  const cable = { cut: false };
  const { slow, seen, begun, goOn } = slowAt("piece", engine, cable);
  const told: string[] = [];
  const log = { info: () => {}, error: (_: object, message: string) => void told.push(message) };
  const node = await openNode(slow, {}, { replica: await openReplica(), log });
  cable.cut = true;
  await fill(writer);
  await writer.checkpoint();
  await expect.poll(() => node.counters.engineErrors).toBeGreaterThan(0);
  told.length = 0;
  const errors = node.counters.engineErrors;
  seen.reads = 0;
  cable.cut = false;
  await begun;
  const closed = node.close();
  goOn();
  await closed;
  expect(seen.reads).toBeLessThan(5);
  expect(told).toEqual([]);
  expect(node.counters.engineErrors).toBeLessThanOrEqual(errors + 1);
});

it("a copy that is made anew is broken off, and the next start makes it whole", async () => {
  const path = temporaryFolder();
  const engine = new MemoryEngine(SMALL);
  const writer = await openNode(sharedBy(engine), { keepMs: 3_600_000 });
  await fill(writer);
  await writer.checkpoint();
  const cable = { cut: false };
  const { slow, seen, begun, goOn } = slowAt("piece", engine, cable);
  const node = await openNode(slow, {}, { replica: await openLocalReplica({ path }) });
  // The database goes back: it lacks an entry that the node has.
  await fill(writer, 1);
  await node.catchUp();
  cable.cut = true;
  await expect.poll(() => node.counters.engineErrors).toBeGreaterThan(0);
  await writer.close();
  await engine.remove([{ kind: "entry", number: WRITES + 1, name: "" }]);
  seen.reads = 0;
  cable.cut = false;
  await begun;
  const closed = node.close();
  goOn();
  await closed;
  expect(seen.reads).toBeLessThan(5);
  const next = await openNode(sharedBy(engine), {}, { replica: await openLocalReplica({ path }) });
  opened.push(next);
  expect(next.revision).toBe(WRITES);
});

it("entries that a node is behind are not all read", async () => {
  const engine = new MemoryEngine();
  const writer = await openNode(sharedBy(engine), { keepMs: 3_600_000 });
  opened.push(writer);
  await fill(writer, 1);
  const cable = { cut: false };
  const { slow, seen, begun, goOn } = slowAt("entries", engine, cable);
  const node = await openNode(slow);
  cable.cut = true;
  await fill(writer, 1_000);
  seen.reads = 0;
  cable.cut = false;
  await begun;
  const closed = node.close();
  goOn();
  await closed;
  expect(seen.reads).toBeLessThan(5);
});

it("a node that is stopped while it joins does not load the rest", async () => {
  const engine = new MemoryEngine(SMALL);
  const writer = await openNode(sharedBy(engine));
  opened.push(writer);
  await fill(writer);
  await writer.checkpoint();
  const { slow, seen, begun, goOn } = slowAt("piece", engine, { cut: false });
  seen.reads = 0;
  const ending = new AbortController();
  const joined = openNode(slow, {}, { ending: ending.signal });
  await begun;
  ending.abort(new Error("the process is stopped"));
  goOn();
  await expect(joined).rejects.toThrow("the process is stopped");
  expect(seen.reads).toBeLessThan(5);
});
