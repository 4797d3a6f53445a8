/** No caller waits beyond commit_timeout, whatever the engine does (spec/journal §2.4, spec/journal §2.5). */

import { afterEach, describe, expect, it } from "vitest";
import { SYSTEM_CLOCK } from "../../src/journal/clock.ts";
import { createJournalCounters } from "../../src/journal/counters.ts";
import { type Engine, type ItemName, NothingDone } from "../../src/journal/engine.ts";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import type { JournalStore } from "../../src/journal/journal-store.ts";
import { LogNode } from "../../src/journal/node.ts";
import { decodeHead } from "../../src/store/log-entry.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { openNode, sharedBy } from "./bed.ts";

const P = "things";
const put = (store: JournalStore, key: string) => store.commit({ put: [{ partition: P, key, value: "v" }] });
const codeOf = (committed: Promise<number>) =>
  committed.then(
    () => "done",
    (error: { code: string }) => error.code,
  );

const stores: JournalStore[] = [];
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
});

it("a create that hangs: its callers hear that the outcome is unknown, those behind that nothing was changed", async () => {
  const shared = new MemoryEngine();
  const hung = Promise.withResolvers<void>();
  let waiting = 0;
  let isHanging = false;
  const engine: Engine = Object.assign(sharedBy(shared), {
    create: async (name: ItemName, item: Buffer) => {
      if (isHanging) {
        waiting += 1;
        await hung.promise;
      }
      return shared.create(name, item);
    },
  });
  const store = await openNode(engine, { commitTimeoutMs: 200 });
  stores.push(store);
  await put(store, "before");
  isHanging = true;
  const sent = codeOf(put(store, "sent"));
  await expect.poll(() => waiting).toBe(1);
  const behind = codeOf(put(store, "behind"));
  expect(await sent).toBe("outcome_unknown");
  expect(await behind).toBe("unavailable");
  isHanging = false;
  hung.resolve();
  await expect.poll(() => codeOf(put(store, "after"))).toBe("done");
  expect(store.revision).toBe(3);
});

it("a poll that hangs and fails: a change behind it is refused then and not sent; the log tells a refusal once", async () => {
  const shared = new MemoryEngine();
  const hung = Promise.withResolvers<void>();
  let polls = 0;
  let creates = 0;
  let isHanging = false;
  const engine: Engine = Object.assign(sharedBy(shared), {
    create: (name: ItemName, item: Buffer) => {
      creates += 1;
      return shared.create(name, item);
    },
    entries: async (after: number, limit: number) => {
      if (isHanging) {
        polls += 1;
        await hung.promise;
        throw new NothingDone("the table is gone");
      }
      return shared.entries(after, limit);
    },
  });
  const told: string[] = [];
  const log = { info: () => {}, error: (_: object, text: string) => void told.push(text) };
  const store = await openNode(engine, { pollMs: 5 }, { log });
  stores.push(store);
  await put(store, "before");
  const before = creates;
  isHanging = true;
  await expect.poll(() => polls).toBe(1);
  const behind = codeOf(put(store, "behind"));
  hung.resolve();
  expect(await behind).toBe("unavailable");
  expect(creates).toBe(before);
  await expect.poll(() => polls).toBeGreaterThan(3);
  expect(told).toEqual(["the database refused"]);
  isHanging = false;
  await expect.poll(() => codeOf(put(store, "after"))).toBe("done");
});

it("a large entry that takes long to apply is committed all the same: its outcome is known", async () => {
  const replica = openMemoryStore({ isReplica: true });
  const applyEntry = replica.applyEntry.bind(replica);
  let appliesIn = 0;
  const slowly: typeof applyEntry = async (...entry) => {
    await SYSTEM_CLOCK.delay(appliesIn);
    return applyEntry(...entry);
  };
  Object.assign(replica, { applyEntry: slowly });
  const store = await openNode(sharedBy(new MemoryEngine()), { commitTimeoutMs: 50 }, { replica });
  stores.push(store);
  await put(store, "before");
  appliesIn = 200;
  const [large, behind] = [put(store, "large"), put(store, "behind")].map(codeOf);
  expect(await large).toBe("done");
  expect(await behind).toBe("done");
});

describe("a commit that is larger than an item", () => {
  const large = (store: JournalStore) =>
    store.commit({
      put: Array.from({ length: 40 }, (_, key) => ({ partition: P, key: `k${key}`, value: "v".repeat(100) })),
    });

  /** A node whose attempts at an entry with parts are overtaken by another node, as long as that does not hold back. */
  async function overtaken(commitTimeoutMs: number, now: () => number, onRace: () => void) {
    const shared = new MemoryEngine({ entry: 2_048, part: 4_096 });
    const foreign = await openNode(sharedBy(shared));
    stores.push(foreign);
    const engine: Engine = Object.assign(sharedBy(shared), {
      create: async (name: ItemName, item: Buffer) => {
        if (name.kind === "entry" && decodeHead(item).parts !== undefined) {
          onRace();
          await foreign.catchUp();
          const faster = put(foreign, `faster ${foreign.revision}`);
          await Promise.race([faster, SYSTEM_CLOCK.delay(200)]);
        }
        return shared.create(name, item);
      },
      watch: () => () => {},
    });
    const clock = { now, delay: (ms: number) => SYSTEM_CLOCK.delay(ms) };
    const store = await openNode(engine, { commitTimeoutMs, pollMs: 3_600_000 }, { clock });
    stores.push(store);
    return store;
  }

  it("takes a turn after three lost races, in which the others hold back", async () => {
    let races = 0;
    const store = await overtaken(
      60_000,
      () => performance.now(),
      () => (races += 1),
    );
    expect(await codeOf(large(store))).toBe("done");
    expect(races).toBe(4);
  });

  it("is not sent once too little time is left to hear what became of it", async () => {
    let now = 0;
    let races = 0;
    const store = await overtaken(
      2_000,
      () => now,
      () => {
        races += 1;
        now += 1_000;
      },
    );
    expect(await codeOf(large(store))).toBe("conflict");
    expect(races).toBe(3);
  });
});

it("an alarm that comes before its time is set again", async () => {
  const shared = new MemoryEngine();
  const hung = Promise.withResolvers<void>();
  let isHanging = false;
  const engine: Engine = Object.assign(sharedBy(shared), {
    create: async (name: ItemName, item: Buffer) => {
      if (isHanging) await hung.promise;
      return shared.create(name, item);
    },
    watch: () => () => {},
  });
  let now = 0;
  const alarms: (() => void)[] = [];
  const clock = {
    now: () => now,
    delay: (ms: number) => SYSTEM_CLOCK.delay(ms),
    alarm: (_: number, call: () => void) => {
      alarms.push(call);
      return () => {};
    },
  };
  const store = await openNode(engine, { commitTimeoutMs: 2_000, pollMs: 3_600_000 }, { clock });
  stores.push(store);
  isHanging = true;
  const sent = codeOf(put(store, "sent"));
  await expect.poll(() => alarms.length).toBe(1);
  now = 1_999.9;
  alarms[0]!();
  expect(alarms.length).toBe(2);
  now = 2_001;
  alarms[1]!();
  expect(await sent).toBe("outcome_unknown");
  isHanging = false;
  hung.resolve();
});

it("races that were lost count", async () => {
  const shared = new MemoryEngine();
  const foreign = await openNode(sharedBy(shared));
  stores.push(foreign);
  let now = 0;
  let races = 0;
  const alarms: number[] = [];
  const engine: Engine = Object.assign(sharedBy(shared), {
    create: async (name: ItemName, item: Buffer) => {
      races += 1;
      if (races > 2) return shared.create(name, item);
      if (races === 2) now += 1_500;
      await put(foreign, `faster ${races}`);
      return shared.create(name, item);
    },
    watch: () => () => {},
  });
  const store = await openNode(
    engine,
    { commitTimeoutMs: 2_000, pollMs: 3_600_000 },
    {
      clock: {
        now: () => now,
        delay: (ms) => SYSTEM_CLOCK.delay(ms),
        alarm: (ms) => {
          alarms.push(ms);
          return () => {};
        },
      },
    },
  );
  stores.push(store);
  expect(await codeOf(put(store, "slow"))).toBe("done");
  expect(alarms).toEqual([2_001, 2_001, 501]);
});

it("a change whose parts are being written: the node follows the others meanwhile", async () => {
  const shared = new MemoryEngine();
  const partsMayBeWritten = Promise.withResolvers<void>();
  const slow: Engine = Object.assign(sharedBy(shared), {
    create: async (name: ItemName, item: Buffer) => {
      if (name.kind === "part") await partsMayBeWritten.promise;
      return shared.create(name, item);
    },
  });
  const [store, other] = [await openNode(slow), await openNode(sharedBy(shared))];
  stores.push(store, other);
  const value = "v".repeat(shared.budgets.part);
  let isDone = false;
  const large = store.commit({
    put: ["a", "b", "c", "d"].map((key) => ({ partition: P, key, value })),
  });
  void large.then(() => (isDone = true));
  await SYSTEM_CLOCK.delay(50);
  await put(other, "revoked");
  await expect.poll(() => store.revision, { interval: 5 }).toBe(1);
  await expect.poll(() => store.staleness(), { interval: 5 }).toBeLessThan(200);
  expect(isDone).toBe(false);
  partsMayBeWritten.resolve();
  expect(await large).toBe(2);
});

it("a create that hangs while the database can be read: what the node has is known to be the newest", async () => {
  const shared = new MemoryEngine();
  let isHanging = false;
  const engine: Engine = Object.assign(sharedBy(shared), {
    create: async (name: ItemName, item: Buffer) => {
      if (!isHanging) return shared.create(name, item);
      await SYSTEM_CLOCK.delay(100);
      throw new Error("no answer in time");
    },
  });
  const store = await openNode(engine, { commitTimeoutMs: 200 });
  stores.push(store);
  await put(store, "before");
  isHanging = true;
  expect(await codeOf(put(store, "sent"))).toBe("outcome_unknown");
  await SYSTEM_CLOCK.delay(1_000);
  expect(store.staleness()).toBeLessThan(900);
  isHanging = false;
  await expect.poll(() => codeOf(put(store, "after"))).toBe("done");
});

it("the age of a copy counts by the wall clock, too, after that was set back", async () => {
  const cable = { cut: false };
  let wall = 10_000_000;
  const store = await openNode(sharedBy(new MemoryEngine(), cable), {}, { wallClock: () => wall });
  stores.push(store);
  await store.catchUp();
  wall -= 3_600_000;
  await store.catchUp();
  expect(store.staleness()).toBeLessThan(1_000);
  cable.cut = true;
  // As after a sleep of the machine.
  wall += 60_000;
  expect(store.staleness()).toBeGreaterThanOrEqual(60_000);
  expect(() => store.assertFresh()).toThrow(expect.objectContaining({ code: "stale" }));
});

describe("a checkpoint for the weight of entries", () => {
  const MIB = 1024 * 1024;

  it.each([
    [63, 0, false],
    [64, 0, true],
    [64, 256, true],
    [64, 257, false],
    [1_024, 4_096, true],
  ])("of %d MiB after one of %d MiB: %s", (since, last, isDue) => {
    const node = new LogNode({
      engine: new MemoryEngine(),
      replica: openMemoryStore({ isReplica: true }),
      counters: createJournalCounters(),
      clock: SYSTEM_CLOCK,
      onRewound: () => {},
    });
    node.bytesSinceCheckpoint = since * MIB;
    node.checkpointBytes = last * MIB;
    expect(node.isHeavy).toBe(isDue);
  });
});
