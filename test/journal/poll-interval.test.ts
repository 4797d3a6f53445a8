/** The time between two polls of a node (spec/journal §3.6). */

import { expect, it } from "vitest";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import { PollInterval } from "../../src/journal/poll-interval.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { openNode, sharedBy } from "./bed.ts";

const RECORDS = { partition: "meta", prefix: "node/" };

/** The interval of a node after it counted `nodes`, with 250 ms configured. */
async function interval(nodes: number, engine: { pollsPerSecond?: number; restMs?: number }) {
  const copy = openMemoryStore();
  const put = Array.from({ length: nodes }, (_, index) => ({
    partition: "meta",
    key: `node/${index}`,
    value: "{}",
  }));
  await copy.commit({ put: [...put, { partition: "meta", key: "sealing", value: "{}" }] });
  const made = new PollInterval(Object.assign(new MemoryEngine(), engine), 250);
  await made.count(copy, RECORDS);
  await copy.close();
  return made.ms;
}

it.each([
  [499, 250],
  [500, 250],
  [502, 251],
  [1_000, 500],
  [2_000, 1_000],
  [3_000, 1_000],
])("with %i nodes and an engine for 2,000 polls a second is %i ms", async (nodes, ms) => {
  expect(await interval(nodes, { pollsPerSecond: 2_000 })).toBe(ms);
});

it("is as configured, or as the engine says while it tells of entries, where any number may poll", async () => {
  expect(await interval(3_000, {})).toBe(250);
  expect(await interval(3_000, { restMs: 500 })).toBe(500);
});

it("is longer than a second only where that is configured", () => {
  const engine = Object.assign(new MemoryEngine(), { pollsPerSecond: 2_000 });
  expect(new PollInterval(engine, 10_000).ms).toBe(10_000);
});

it("follows the records that nodes have in the log", async () => {
  const engine = Object.assign(new MemoryEngine(), { pollsPerSecond: 2 });
  const first = await openNode(sharedBy(engine), {}, { nodeRecords: RECORDS });
  await first.commit({ put: [{ partition: "meta", key: "node/first", value: "{}" }] });
  const second = await openNode(sharedBy(engine), {}, { nodeRecords: RECORDS });
  expect([first, second].map(({ forWorkers }) => forWorkers.contact.pollMs)).toEqual([20, 500]);
  await Promise.all([first.close(), second.close()]);
});
