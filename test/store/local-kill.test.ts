import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openLocalStore } from "../../src/store/local/local-store.ts";
import { type Store, withSnapshot } from "../../src/store/port.ts";
import { sized } from "../proofs/size.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { type Child, startChild } from "./children/child.ts";
import { unavailable } from "./unavailable.ts";

const KILLS = sized(8, 20);

let parent: string;
let path: string;
const children: Child[] = [];

beforeEach(() => {
  parent = temporaryFolder();
  path = join(parent, "store");
});

afterEach(async () => {
  for (const child of children.splice(0)) await child.kill();
});

function startWriter(first: number): Child {
  const child = startChild("write-until-killed.ts", [path, String(first)]);
  children.push(child);
  return child;
}

/** The numbers under each of the three keys of a commit. */
async function numbersOf(store: Store): Promise<string[][]> {
  return withSnapshot(store, (snapshot) =>
    Promise.all(
      ["left", "middle", "right"].map(async (partition) => {
        const records = await snapshot.scan(partition, { limit: Number.MAX_SAFE_INTEGER });
        for (const { key, value } of records) {
          expect(value).toBe(`${Number(key)} ${"x".repeat((Number(key) * 37) % 5_000)}`);
        }
        return records.map(({ key }) => String(Number(key)));
      }),
    ),
  );
}

it(`keeps every acknowledged commit, whole, through ${KILLS} kills in a row`, async () => {
  const acknowledged = new Set<string>();
  const opened: number[] = [];
  let first = 0;
  for (let round = 0; round < KILLS; round++) {
    const child = startWriter(first);
    await child.printed(2);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 80));
    await child.kill();
    for (const line of child.lines().slice(1)) acknowledged.add(line);

    const started = performance.now();
    const store = await openLocalStore({ path, syncWrites: true });
    opened.push(performance.now() - started);
    const [left, middle, right] = await numbersOf(store);
    await store.close();
    expect(middle).toEqual(left);
    expect(right).toEqual(left);
    const kept = new Set(left);
    expect([...acknowledged].filter((number) => !kept.has(number))).toEqual([]);
    first = Math.max(...[...kept].map(Number)) + 1;
  }
  expect(acknowledged.size).toBeGreaterThan(KILLS);
  // No open waits for what a killed process held. On a busy machine one of them may be slow.
  opened.sort((a, b) => a - b);
  expect(opened[opened.length >> 1]).toBeLessThan(1_000);
  expect(opened.at(-1)).toBeLessThan(10_000);
});

it(`has all or nothing of each stage through ${KILLS} kills in a row, and nothing of those that were not put in force`, async () => {
  let acknowledged = 0;
  const outcomes = new Set<string>();
  for (let round = 0; round < KILLS; round++) {
    // Between the last piece and the commit, which a busy machine seldom leaves to chance.
    const isHeld = round % 5 === 4;
    const args = [path, String(acknowledged + 1), ...(isHeld ? ["held"] : [])];
    const child = startChild("stage-until-killed.ts", args);
    children.push(child);
    // The first generation is there in all rounds after its own.
    await child.printed(round === 0 ? 3 : 2);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 150));
    await child.kill();
    const lines = child.lines().slice(1);
    acknowledged = Math.max(acknowledged, ...lines.map(Number).filter(Number.isFinite));
    outcomes.add(lines.at(-1)!);

    const store = await openLocalStore({ path, syncWrites: true });
    const found = await withSnapshot(store, (snapshot) => snapshot.scan("staged", { limit: 1_000_000 }));
    const [number] = new Set(found.map(({ value }) => Number(value)));
    expect(new Set(found.map(({ value }) => value)).size).toBe(1);
    expect(number).toBeGreaterThanOrEqual(acknowledged);
    // Even generations remove what odd ones have.
    const wanted = Array.from({ length: 3_000 }, (_, index) => `k${String(index).padStart(5, "0")}`);
    expect(found.map(({ key }) => key)).toEqual(
      wanted.filter((_, index) => number! % 2 === 1 || index % 3 > 0),
    );
    expect(store.history.head.revision).toBe(number);
    acknowledged = number!;
    // Every other time its sweep is cut off, too.
    if (round % 2 === 0) await (await store.stage!({})).abandon();
    await store.close();
  }
  expect(outcomes).toContain("staged");
});

it("refuses a folder that another process holds, naming both, and opens it at once after its kill", async () => {
  const child = startWriter(0);
  await child.printed(1);
  const held = unavailable(new RegExp(`${path} is in use by process ${child.process.pid} on `));
  const refused: number[] = [];
  for (let time = 0; time < 3; time++) {
    const started = performance.now();
    await expect(openLocalStore({ path, syncWrites: true })).rejects.toThrow(held);
    refused.push(performance.now() - started);
  }
  expect(Math.min(...refused)).toBeLessThan(1_000);
  await child.kill();
  const store = await openLocalStore({ path, syncWrites: true });
  await store.health();
  await store.close();
});

it("is refused by another process while this one holds the folder, also after a refusal here", async () => {
  const store = await openLocalStore({ path, syncWrites: true });
  await expect(openLocalStore({ path, syncWrites: true })).rejects.toThrow(
    unavailable(/in use by this process/),
  );
  await expect(startWriter(0).printed(1)).rejects.toThrow(`in use by process ${process.pid} on`);
  await store.close();
  await startWriter(0).printed(2);
});
