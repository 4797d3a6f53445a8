import { afterEach, expect, it } from "vitest";
import type { Engine } from "../../src/journal/engine.ts";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import type { JournalStore } from "../../src/journal/journal-store.ts";
import { createEngineTimes, observeEngine } from "../../src/observe/metrics/engine-metrics.ts";
import { withSnapshot } from "../../src/store/port.ts";
import { openNode, sharedBy } from "./bed.ts";

const P = "things";
/** So long that only notifications bring anything. */
const NEVER = { pollMs: 3_600_000 };

const stores: JournalStore[] = [];
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
});

async function open(engine: Engine): Promise<JournalStore> {
  const store = await openNode(engine, NEVER);
  stores.push(store);
  return store;
}

it("a node that hears of its own entries reads nothing; others follow", async () => {
  const shared = new MemoryEngine();
  let polls = 0;
  const counted: Engine = Object.assign(sharedBy(shared), {
    entries: (after: number, limit: number) => {
      polls += 1;
      return shared.entries(after, limit);
    },
  });
  const writer = await open(counted);
  const other = await open(sharedBy(shared));
  const before = polls;
  for (let number = 0; number < 20; number++) {
    await writer.commit({ put: [{ partition: P, key: `k${number}`, value: "v" }] });
  }
  await expect.poll(() => other.revision).toBe(20);
  expect(polls).toBe(before);
  await other.commit({ put: [{ partition: P, key: "of the other", value: "v" }] });
  await expect.poll(() => writer.revision).toBe(21);
  expect((await withSnapshot(writer, (snapshot) => snapshot.get(P, "of the other")))?.value).toBe("v");
});

it("an engine that is observed keeps what it says of polls and of the way to the floor", async () => {
  const engine: Engine = Object.assign(new MemoryEngine(), {
    restMs: 500,
    pollsPerSecond: 2_000,
    createAndFloor: async () => ({ created: true, floor: 7 }),
  });
  const observed = observeEngine(engine, createEngineTimes());
  expect([observed.restMs, observed.pollsPerSecond]).toEqual([500, 2_000]);
  expect(await observed.createAndFloor?.({ kind: "entry", number: 8, name: "" }, Buffer.alloc(0))).toEqual({
    created: true,
    floor: 7,
  });
});
