import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openLocalStore } from "../../src/store/local/local-store.ts";
import type { Store } from "../../src/store/port.ts";
import { withSnapshot } from "../../src/store/port.ts";
import { describeStoreContract } from "../contract/store-contract.ts";
import { unavailable } from "./unavailable.ts";

const folders: string[] = [];
const stores: Store[] = [];

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "local-store-"));
  folders.push(folder);
  return join(folder, "svc-authorizer");
}

async function open(path: string, syncWrites = true): Promise<Store> {
  const store = await openLocalStore({ path, syncWrites });
  stores.push(store);
  return store;
}

afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

describe.each([true, false])("with sync_writes %s", (syncWrites) => {
  describeStoreContract(`local, sync_writes ${syncWrites}`, async () => {
    const parent = mkdtempSync(join(tmpdir(), "local-contract-"));
    const path = join(parent, "store");
    let store = await openLocalStore({ path, syncWrites });
    return {
      store,
      reopen: async () => {
        await store.close();
        store = await openLocalStore({ path, syncWrites });
        return store;
      },
      close: async () => {
        await store.close();
        rmSync(parent, { recursive: true, force: true });
      },
    };
  });
});

it("keeps its folder and files to its own user", async () => {
  const path = newFolder();
  const store = await open(join(path, "below", "it.has.dots"));
  await store.commit({ put: [{ partition: "p", key: "a", value: "x" }] });
  const mode = (name: string): string =>
    (statSync(join(path, "below", "it.has.dots", name)).mode & 0o777).toString(8);
  expect(["", "data.mdb", "lock.mdb", "store.lock", "store.pid"].map(mode)).toEqual([
    "700",
    ...Array(4).fill("600"),
  ]);
});

it("changes between sync_writes true and false over the same data", async () => {
  const path = newFolder();
  for (const [round, syncWrites] of [false, true, false, true].entries()) {
    const store = await open(path, syncWrites);
    await store.commit({ put: [{ partition: "p", key: `k${round}`, value: "x" }] });
    const all = await withSnapshot(store, (snapshot) => snapshot.scan("p", { limit: 9 }));
    expect(all).toHaveLength(round + 1);
    await store.close();
  }
});

it("grows far beyond its first size under an open snapshot, and uses the pages of deleted records again", async () => {
  const path = newFolder();
  const store = await openLocalStore({ path, syncWrites: false, keepMs: 0 });
  const value = "v".repeat(1024 * 1024);
  await store.commit({ put: [{ partition: "p", key: "first", value }] });
  const snapshot = await store.snapshot();
  for (let round = 0; round < 30; round++)
    await store.commit({ put: [{ partition: "p", key: `k${round}`, value }] });
  expect((await snapshot.scan("p", { limit: 99 })).map(({ key }) => key)).toEqual(["first"]);
  snapshot.release();
  for (let round = 0; round < 100; round++) {
    await store.commit({ put: [{ partition: "p", key: `k${round % 30}`, value: `${round}${value}` }] });
  }
  // Without reuse it would be 430 MiB: the log has each value twice.
  await store.close();
  expect(statSync(join(path, "data.mdb")).size).toBeLessThan(160 * 1024 * 1024);
});

it("tells of a folder that holds other things, or no database", async () => {
  const path = newFolder();
  mkdirSync(path);
  writeFileSync(join(path, "notes.txt"), "mine");
  await expect(open(path)).rejects.toThrow(unavailable(/holds other files but no store/));
  rmSync(join(path, "notes.txt"));
  writeFileSync(join(path, "data.mdb"), "no database at all".repeat(1000));
  await expect(open(path)).rejects.toThrow(unavailable(/is no store of svc-authorizer, is damaged/));
  rmSync(path, { recursive: true });
  writeFileSync(path, "a file");
  await expect(open(path)).rejects.toThrow(unavailable(/cannot be created or read/));
});

it.each([0.9, 0.5, 0.1])("tells of a data file cut to %d of its length, and leaves it so", async (part) => {
  const path = newFolder();
  const store = await open(path, false);
  for (let index = 0; index < 100; index++) {
    await store.commit({ put: [{ partition: "p", key: `k${index}`, value: "v".repeat(900) }] });
  }
  await store.close();
  const file = join(path, "data.mdb");
  const size = Math.floor(statSync(file).size * part);
  truncateSync(file, size);
  for (let attempt = 0; attempt < 2; attempt++) {
    await expect(open(path)).rejects.toThrow(unavailable(/damaged.*data\.mdb was cut short/));
  }
  expect(statSync(file).size).toBe(size);
});

it("tells of a data file without its last pages, which have the list of free ones", async () => {
  const path = newFolder();
  const store = await open(path, false);
  for (let round = 0; round < 20; round++) {
    const put = Array.from({ length: 100 }, (_, index) => {
      const key = `k${(index * 7 + round * 13) % 400}`;
      return { partition: "p", key, value: "v".repeat(100 + (index % 9) * 300) };
    });
    await store.commit({ put });
  }
  await store.close();
  const file = join(path, "data.mdb");
  const whole = readFileSync(file);
  const page = 4096;
  for (let cut = 1; cut <= 12; cut++) {
    writeFileSync(file, whole.subarray(0, whole.length - cut * page));
    await expect(open(path), `${cut} pages`).rejects.toThrow(unavailable(/damaged.*data\.mdb was cut short/));
  }
  writeFileSync(file, whole);
  await (await open(path, false)).commit({ put: [{ partition: "p", key: "after", value: "v" }] });
});

it("begins again where a kill left a store that was being made", async () => {
  for (const left of ["", "half of a page"]) {
    const path = newFolder();
    mkdirSync(path);
    writeFileSync(join(path, "making"), "");
    writeFileSync(join(path, "data.mdb"), left);
    const store = await open(path);
    await store.health();
    expect(readdirSync(path)).not.toContain("making");
    await store.close();
  }
});

it("never takes an empty or missing file of a store for a new store", async () => {
  const path = newFolder();
  await (await open(path)).close();
  const file = join(path, "data.mdb");
  truncateSync(file, 0);
  await expect(open(path)).rejects.toThrow(
    unavailable(/data\.mdb is empty\. Restore a backup .* svc-authorizer reset/),
  );
  rmSync(file);
  await expect(open(path)).rejects.toThrow(unavailable(/data\.mdb is missing\. Restore a backup/));
  expect(readdirSync(path)).not.toContain("data.mdb");
});

it("shares one flush among many concurrent commits", async () => {
  const store = await open(newFolder());
  const put = (key: string): Promise<number> => store.commit({ put: [{ partition: "p", key, value: "x" }] });
  const rate = async (count: number, run: () => Promise<unknown>): Promise<number> => {
    const started = performance.now();
    await run();
    return count / (performance.now() - started);
  };
  const alone = await rate(64, async () => {
    for (let index = 0; index < 64; index++) await put(`a${index}`);
  });
  const together = await rate(64, () =>
    Promise.all(Array.from({ length: 64 }, (_, index) => put(`b${index}`))),
  );
  expect(together / alone).toBeGreaterThan(3);
});
