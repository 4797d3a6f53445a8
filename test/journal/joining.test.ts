/** Nodes that join a log whose entries are all kept (spec/journal §3.3). */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import type { JournalStore } from "../../src/journal/journal-store.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { withSnapshot } from "../../src/store/port.ts";
import { openNode, sharedBy } from "./bed.ts";

const P = "things";
const KEPT = { checkpointEvery: 100, keepMs: 3_600_000 };

describe("a log of which everything is kept, and its checkpoints", () => {
  let engine: MemoryEngine;
  let writer: JournalStore;
  const opened: JournalStore[] = [];
  beforeEach(async () => {
    engine = new MemoryEngine();
    writer = await open();
  });
  afterEach(() => Promise.all(opened.splice(0).map((store) => store.close())));

  const open = async (replica = openMemoryStore({ isReplica: true })): Promise<JournalStore> => {
    const store = await openNode(sharedBy(engine), KEPT, { replica });
    opened.push(store);
    return store;
  };
  const put = (key: string, value = "x") => writer.commit({ put: [{ partition: P, key, value }] });
  /** Writes few keys many times, and a checkpoint before the last entries. */
  const write = async (from: number, count: number): Promise<void> => {
    for (let number = from; number < from + count; number++) await put(`k${number % 10}`, `${number}`);
    await writer.checkpoint();
    for (const key of ["a", "b", "c"]) await put(key);
  };
  const values = (store: JournalStore) => withSnapshot(store, (snapshot) => snapshot.scan(P, { limit: 100 }));

  it("are loaded by a new node, which applies only what follows", async () => {
    await write(0, 50);
    const joined = await open();
    expect(joined.revision).toBe(53);
    expect(joined.counters.applied).toBe(3);
    expect(await values(joined)).toEqual(await values(writer));
    expect(await joined.history.keptFrom()).toBe(0);
    expect((await joined.changes(0, 100))?.map(({ revision }) => revision)).toEqual(
      Array.from({ length: 53 }, (_, index) => index + 1),
    );
  });

  it("are loaded by a node that was away for long, and not by one that was away for a few entries", async () => {
    await write(0, 10);
    const cable = { cut: false };
    const away = await openNode(sharedBy(engine, cable), KEPT);
    opened.push(away);
    const before = away.counters.applied;
    cable.cut = true;
    await write(10, 200);
    cable.cut = false;
    await away.catchUp();
    expect(away.revision).toBe(writer.revision);
    expect(away.counters.applied).toBe(before + 3);
    expect(await values(away)).toEqual(await values(writer));
    await put("more");
    await writer.checkpoint();
    await away.catchUp();
    expect(away.counters.applied).toBe(before + 4);
  });
});
