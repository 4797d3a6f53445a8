/** Large tables are read beside the other work of the process. */

import { createHash } from "node:crypto";
import { beforeAll, expect, it } from "vitest";
import { changedObjects, isWhole, type ObjectEntry, objectsOf } from "../../src/mirroring/data/tables.ts";
import { messageOf, writeTable } from "./stand-in/table-writer.ts";

const ENTRIES = 100_000;
/** Milliseconds of one turn, with room for a machine that does other work. */
const LONGEST_MS = 50;
let table: Buffer;
beforeAll(() => {
  const entries = Array.from({ length: ENTRIES }, (_, at) => {
    const key = `part/${String(at).padStart(8, "0")}/a-name-of-some-length.parquet`;
    const identity = createHash("sha256").update(key).digest();
    return {
      key: Buffer.from(key),
      identity,
      message: messageOf({ 1: `data/gk3v9abcdefghijklmnop/${at}`, 3: 1_000, 6: 1 }),
    };
  });
  table = writeTable("ranges", entries).bytes;
});

/** Turns of the event loop while something is worked at, and the median CPU time of one in milliseconds. */
async function turnsOf(
  work: () => Promise<void>,
): Promise<{ readonly turns: number; readonly medianMs: number }> {
  const lengths: number[] = [];
  let isDone = false;
  let since = process.cpuUsage();
  const look = (): void => {
    const { user, system } = process.cpuUsage(since);
    lengths.push((user + system) / 1_000);
    since = process.cpuUsage();
    if (!isDone) setImmediate(look);
  };
  setImmediate(look);
  await work();
  isDone = true;
  lengths.sort((left, right) => left - right);
  return { turns: lengths.length, medianMs: lengths[lengths.length >> 1] ?? 0 };
}

it("a table of 100,000 entries is read in many turns", async () => {
  const { turns, medianMs } = await turnsOf(async () => {
    expect(await isWhole(table)).toBe(true);
  });
  expect(turns).toBeGreaterThan(5);
  expect(medianMs).toBeLessThan(LONGEST_MS);
});

it("a comparison of two such tables that finds nothing is made in many turns", async () => {
  const before = [objectsOf(table)];
  const found: ObjectEntry[] = [];
  const { turns, medianMs } = await turnsOf(async () => {
    for await (const one of changedObjects(objectsOf(table), async () => before.shift())) found.push(one);
  });
  expect(found).toEqual([]);
  expect(turns).toBeGreaterThan(5);
  expect(medianMs).toBeLessThan(LONGEST_MS);
});

it("a comparison holds one table of the state before at a time, and takes it when it is needed", async () => {
  const all = [...objectsOf(table)].slice(0, 400);
  const tables = [all.slice(0, 100), all.slice(100, 300), all.slice(300)];
  const taken: number[] = [];
  const changed = all.map((one, at) => (at % 100 === 50 ? { ...one, address: "other" } : one));
  const found: number[] = [];
  for await (const one of changedObjects(changed, async () => {
    taken.push(found.length);
    return tables.shift();
  }))
    found.push(changed.indexOf(one));
  expect(found).toEqual([50, 150, 250, 350]);
  expect(taken).toEqual([0, 1, 3]);
});
