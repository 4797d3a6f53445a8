/** Checkpoints that take long, or fail (spec/journal §4.1). */

import { afterEach, describe, expect, it } from "vitest";
import { type Clock, SYSTEM_CLOCK } from "../../src/journal/clock.ts";
import { type Engine, type ItemName, NothingDone } from "../../src/journal/engine.ts";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import type { JournalStore } from "../../src/journal/journal-store.ts";
import { openNode, sharedBy } from "./bed.ts";

const MINUTE_MS = 60_000;
const NEVER_MS = 24 * 60 * MINUTE_MS;

describe("a checkpoint", () => {
  const opened: JournalStore[] = [];
  let later = 0;
  const clock: Clock = { now: () => performance.now() + later, delay: SYSTEM_CLOCK.delay };
  afterEach(async () => {
    later = 0;
    for (const store of opened.splice(0)) await store.close();
  });

  const open = async (engine: Engine, checkpointEvery: number): Promise<JournalStore> => {
    const store = await openNode(engine, { checkpointEvery, pollMs: NEVER_MS, keepMs: NEVER_MS }, { clock });
    opened.push(store);
    return store;
  };
  const put = (store: JournalStore, key: string) =>
    store.commit({ put: [{ partition: "things", key, value: "v" }] });
  const made = async (engine: Engine) =>
    (await engine.list("checkpoint", Number.MAX_SAFE_INTEGER, 100)).map(({ number }) => number);

  it("that the end of its node overtakes is no trouble of the database", async () => {
    const trouble: string[] = [];
    const log = { info: () => {}, error: (_: object, message: string) => trouble.push(message) };
    const engine = new MemoryEngine();
    for (let round = 0; round < 20; round++) {
      const store = await openNode(sharedBy(engine), { checkpointEvery: 1 }, { log });
      await put(store, `${round}`);
      await store.close();
    }
    expect(trouble).toEqual([]);
  });

  it("is made known also where its writing takes longer than the time between two looks at the log", async () => {
    const engine = new MemoryEngine();
    const slow = sharedBy(engine);
    const store = await open(slow, 1_000);
    await put(store, "a");
    slow.create = async (name, item) => {
      if (name.kind === "piece") {
        later += MINUTE_MS;
        await store.catchUp();
      }
      return engine.create(name, item);
    };
    await store.checkpoint();
    expect(await made(engine)).toEqual([1]);
  });

  it("is written again, without a trouble, where the database is connected to anew meanwhile", async () => {
    const engine = new MemoryEngine();
    const shared = sharedBy(engine);
    let connected = (): void => undefined;
    shared.watch = (listener) => {
      connected = () => listener();
      return engine.watch(listener);
    };
    const store = await open(shared, 4);
    const pieces: ItemName[] = [];
    shared.create = async (name, item) => {
      if (name.kind === "piece" && pieces.push(name) < 3) connected();
      return engine.create(name, item);
    };
    for (let index = 0; index < 4; index++) await put(store, "a");
    await expect.poll(() => made(engine)).toHaveLength(1);
    expect(pieces.length).toBeGreaterThan(2);
    expect(store.counters.engineErrors).toBe(0);
  });

  it("that failed is tried again after a minute, not only when as much again is written", async () => {
    const engine = new MemoryEngine();
    const broken = sharedBy(engine);
    const pieces: ItemName[] = [];
    broken.create = async (name, item) => {
      if (name.kind !== "piece") return engine.create(name, item);
      pieces.push(name);
      throw new NothingDone("the database is full");
    };
    const store = await open(broken, 5);
    for (let index = 0; index < 4; index++) await put(store, "a");
    await put(store, "fifth");
    await expect.poll(() => pieces.length).toBe(1);
    await store.catchUp();
    await put(store, "sixth");
    expect(pieces).toHaveLength(1);
    broken.create = (name, item) => engine.create(name, item);
    later += MINUTE_MS;
    await store.catchUp();
    await put(store, "seventh");
    await expect.poll(() => made(engine)).toHaveLength(1);
    expect((await made(engine))[0]).toBeGreaterThan(6);
  });

  it("does not keep a node that ends: it is broken off at its next piece, and is no trouble", async () => {
    const engine = new MemoryEngine();
    const shared = sharedBy(engine);
    const told: string[] = [];
    const log = { info: () => {}, error: (_: object, message: string) => void told.push(message) };
    const settings = { checkpointEvery: 3, pollMs: NEVER_MS, keepMs: NEVER_MS };
    const store = await openNode(shared, settings, { clock, log });
    const pieces: ItemName[] = [];
    const [begun, ending] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    shared.create = async (name, item) => {
      if (name.kind === "piece") {
        pieces.push(name);
        begun.resolve();
        await ending.promise;
      }
      return engine.create(name, item);
    };
    const value = "v".repeat(engine.budgets.part);
    for (let index = 0; index < 4; index++) {
      await store.commit({ put: [{ partition: "things", key: `k${index}`, value }] });
    }
    await begun.promise;
    const closed = store.close();
    ending.resolve();
    await closed;
    expect(pieces).toHaveLength(1);
    expect(await made(engine)).toEqual([]);
    expect(told).toEqual([]);
    expect(store.counters.engineErrors).toBe(0);
    const next = await openNode(engine, settings, { clock });
    opened.push(next);
    await next.checkpoint();
    expect(await made(engine)).toHaveLength(1);
  });
});
