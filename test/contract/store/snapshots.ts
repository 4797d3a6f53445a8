/** Snapshots: one state each, also while others write. */

import { expect, it } from "vitest";
import type { Snapshot } from "../../../src/store/port.ts";
import { P, type StoreHarness } from "./harness.ts";

/** Declares this part of the contract. */
export function describeSnapshots(harness: StoreHarness): void {
  const { put, remove, value, keysOf, fill } = harness;
  it("keeps every read of a snapshot on one state while others write", async () => {
    await fill(["a", "b", "c"]);
    const snapshot = await harness.store.snapshot();
    const before = await snapshot.get(P, "a");
    await Promise.all([put("a", "changed"), remove("b"), put("d", "new")]);
    expect(await snapshot.get(P, "a")).toEqual(before);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await put("a", "changed again");
    expect(await snapshot.get(P, "a")).toEqual(before);
    expect((await snapshot.getMany(P, ["b", "d"])).map((record) => record?.value)).toEqual([
      "value of b",
      undefined,
    ]);
    expect((await snapshot.scan(P, { limit: 9 })).map(({ key }) => key)).toEqual(["a", "b", "c"]);
    snapshot.release();
    expect(await keysOf()).toEqual(["a", "c", "d"]);
  });

  it("shows a commit to every snapshot opened after it was acknowledged", async () => {
    const held: Snapshot[] = [];
    for (let round = 0; round < 40; round++) {
      await put("a", String(round));
      const snapshot = await harness.store.snapshot();
      expect((await snapshot.get(P, "a"))?.value).toBe(String(round));
      held.push(snapshot);
    }
    for (const [round, snapshot] of held.entries()) {
      expect((await snapshot.get(P, "a"))?.value).toBe(String(round));
      snapshot.release();
    }
  });

  it("shows nothing of a large commit before it is committed, to old and to new snapshots", async () => {
    const many = (value: string) =>
      Array.from({ length: 20_000 }, (_, index) => ({ partition: P, key: `k${index}`, value }));
    await harness.store.commit({ put: many("old") });
    let writing = true;
    const written = harness.store.commit({ put: many("new") }).finally(() => {
      writing = false;
    });
    const old = await harness.store.snapshot();
    const keys = ["k0", "k10000", "k19999"];
    while (writing) {
      const snapshot = await harness.store.snapshot();
      const one = await snapshot.get(P, "k0");
      const some = await snapshot.getMany(P, keys);
      const [scanned] = await snapshot.scan(P, { limit: 1 });
      snapshot.release();
      expect(new Set([one, ...some, scanned].map((record) => record?.value)).size).toBe(1);
      expect((await old.getMany(P, keys)).map((record) => record?.value)).toEqual(["old", "old", "old"]);
      await new Promise((resolve) => setImmediate(resolve));
    }
    old.release();
    await written;
  });

  it("never shows half of a commit to readers who race writers", async () => {
    let writing = true;
    const writers = [1, 2, 3].map(async (writer) => {
      for (let round = 0; round < 30; round++) {
        const text = `${writer}-${round}`;
        await harness.store.commit({
          put: ["a", "m", "z"].map((key) => ({ partition: P, key, value: text })),
        });
      }
    });
    const reader = async (): Promise<void> => {
      while (writing) {
        const snapshot = await harness.store.snapshot();
        const first = (await snapshot.get(P, "a"))?.value;
        await new Promise((resolve) => setImmediate(resolve));
        const all = (await snapshot.scan(P, { limit: 9 })).map((record) => record.value);
        snapshot.release();
        expect(new Set([first, ...all]).size).toBe(1);
      }
    };
    const readers = [reader(), reader()];
    await Promise.all(writers);
    writing = false;
    await Promise.all(readers);
  });

  it("holds 500 snapshots of different states at once", async () => {
    const snapshots: Snapshot[] = [];
    for (let round = 0; round < 500; round++) {
      await put("a", String(round));
      snapshots.push(await harness.store.snapshot());
    }
    expect((await snapshots[0]!.get(P, "a"))?.value).toBe("0");
    expect((await snapshots[499]!.get(P, "a"))?.value).toBe("499");
    for (const snapshot of snapshots) snapshot.release();
  });

  it("opens and releases snapshots any number of times", async () => {
    await put("a");
    for (let round = 0; round < 3000; round++) {
      if (round % 100 === 0) await put("a", String(round));
      expect(await value("a")).toBeDefined();
    }
  });

  it("throws when a snapshot is read after its release, which may be repeated", async () => {
    const [first, second] = [await harness.store.snapshot(), await harness.store.snapshot()];
    first.release();
    first.release();
    await expect(first.get(P, "a")).rejects.toThrow(/release/);
    await expect(first.getMany(P, ["a"])).rejects.toThrow(/release/);
    await expect(first.scan(P, { limit: 1 })).rejects.toThrow(/release/);
    expect(await second.get(P, "a")).toBeUndefined();
    second.release();
  });
}
