/** The log keeps what its settings say, and removal takes the rest (spec/journal §4.1, spec/journal §4.2). */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkpointAtMost, newestCheckpoint, writeCheckpoint } from "../../src/journal/checkpoints.ts";
import { checkpointName, type Engine, type ItemKind } from "../../src/journal/engine.ts";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import type { JournalStore } from "../../src/journal/journal-store.ts";
import { openNode, sharedBy } from "./bed.ts";

const P = "things";
const HOUR_MS = 3_600_000;
const NO_STATE = (async function* () {})();

describe("a log", () => {
  let engine: MemoryEngine;
  const opened: JournalStore[] = [];
  beforeEach(() => {
    engine = new MemoryEngine();
  });
  afterEach(() => Promise.all(opened.splice(0).map((store) => store.close())));

  const open = async (of: Engine = sharedBy(engine), keepMs = HOUR_MS): Promise<JournalStore> => {
    const store = await openNode(of, { keepMs });
    opened.push(store);
    return store;
  };
  const put = (store: JournalStore, key: string) =>
    store.commit({ put: [{ partition: P, key, value: "x" }] });
  const numbers = async (kind: ItemKind) =>
    (await engine.list(kind, Number.MAX_SAFE_INTEGER, 10_000)).map(({ number }) => number);

  it("has its newest checkpoint found, however many are kept, by who joins and by who asks for the past", async () => {
    const writer = await open();
    for (let index = 0; index < 1_010; index++) {
      await put(writer, `k${index % 10}`);
      await writer.checkpoint();
    }
    await put(writer, "last");
    expect(await numbers("checkpoint")).toHaveLength(1_010);
    expect((await newestCheckpoint(engine, 0))?.revision).toBe(1_010);
    expect((await checkpointAtMost(engine, 1_007))?.revision).toBe(1_007);
    const joined = await open();
    expect(joined.counters.applied).toBe(1);
    await writer.history.forgetPast();
    expect(await numbers("checkpoint")).toEqual([1_011]);
    expect(await engine.floor()).toBe(1_011);
  });

  it("loses a checkpoint that a slow node writes below what is kept, also where nothing is old enough to go", async () => {
    const writer = await open();
    for (const key of ["a", "b", "c"]) await put(writer, key);
    await writer.history.forgetPast();
    const slow = { revision: 2, last: { id: "two", at: "2026-01-01T00:00:00.000Z" }, log: "log", recent: [] };
    await writeCheckpoint(engine, { ...slow, pages: NO_STATE });
    expect(await numbers("checkpoint")).toEqual([2, 3]);
    await put(writer, "d");
    await writer.checkpoint();
    expect(await numbers("checkpoint")).toEqual([3, 4]);
    expect([...new Set(await numbers("piece"))]).toEqual([3, 4]);
  });

  it("loses what a removal that was broken off has left", async () => {
    const cut = sharedBy(engine);
    const writer = await open(cut);
    for (const key of ["a", "b"]) await put(writer, key);
    await writer.checkpoint();
    await put(writer, "c");
    cut.remove = () => Promise.reject(new Error("the connection was lost"));
    await expect(writer.history.forgetPast()).rejects.toThrow("lost");
    expect([await engine.floor(), await numbers("entry")]).toEqual([3, [1, 2, 3]]);
    const next = await open();
    await put(next, "d");
    await next.checkpoint();
    expect(await numbers("entry")).toEqual([4]);
    expect(await numbers("checkpoint")).toEqual([3, 4]);
    expect(await engine.read(checkpointName(2))).toBeUndefined();
  });
});
