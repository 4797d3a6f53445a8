/** The contract of an engine, and of nodes over it, as one suite that every engine passes with two handles. */

import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkpointName, type Engine, entryName, partName } from "../../src/journal/engine.ts";
import type { JournalStore } from "../../src/journal/journal-store.ts";
import { UsageItems } from "../../src/journal/usage-items.ts";
import { decodeHead } from "../../src/store/log-entry.ts";
import { type Store, withSnapshot } from "../../src/store/port.ts";
import { openNode, sharedBy } from "./bed.ts";

/** A database of an engine. */
export interface EngineBed {
  /** Another handle on the same database. */
  open(): Promise<Engine>;
  close(): Promise<void>;
}

const P = "things";

const textOf = (store: Store, key: string) =>
  withSnapshot(store, async (snapshot) => (await snapshot.get(P, key))?.value);

const stateOf = (store: Store) => withSnapshot(store, (snapshot) => snapshot.scan(P, { limit: 100_000 }));

/** Declares the suite. `makeBed` gives an empty database each time. */
export function describeEngine(name: string, makeBed: () => Promise<EngineBed>): void {
  describe(`engine contract: ${name}`, () => {
    let bed: EngineBed;
    let one: Engine | undefined;
    let other: Engine | undefined;
    beforeEach(async () => {
      bed = await makeBed();
      one = await bed.open();
      other = await bed.open();
    });
    afterEach(async () => {
      await one?.close();
      await other?.close();
      await bed.close();
    });

    it("creates an item once, whoever tries, and reads it at once through every handle", async () => {
      for (let revision = 1; revision <= 20; revision++) {
        const made = await Promise.all(
          Array.from({ length: 8 }, (_, index) =>
            (index % 2 === 0 ? one! : other!).create(entryName(revision), Buffer.from(`by ${index} é\0\n`)),
          ),
        );
        expect(made.filter(Boolean)).toHaveLength(1);
        const winner = Buffer.from(`by ${made.indexOf(true)} é\0\n`);
        expect(await one!.read(entryName(revision))).toEqual(winner);
        expect(await other!.read(entryName(revision))).toEqual(winner);
      }
      expect(await one!.read(entryName(21))).toBeUndefined();
    });

    it("creates an item and reads the floor as it is afterwards, where both are one way", async () => {
      const createAndFloor = one!.createAndFloor?.bind(one!);
      if (createAndFloor === undefined) return;
      const item = Buffer.from("item");
      expect(await createAndFloor(entryName(1), item)).toEqual({ created: true, floor: 0 });
      expect(await createAndFloor(entryName(1), item)).toMatchObject({ created: false });
      await other!.raiseFloor(1);
      await other!.remove([entryName(1)]);
      expect(await createAndFloor(entryName(1), item)).toEqual({ created: true, floor: 1 });
      expect(await other!.read(entryName(1))).toEqual(item);
    });

    it("reads entries in order up to the first gap, with the floor", async () => {
      for (const revision of [1, 2, 3, 5, 10])
        await one!.create(entryName(revision), Buffer.from(`${revision}`));
      const numbers = async (after: number, limit: number) =>
        (await other!.entries(after, limit)).entries.map(({ revision, item }) => [revision, String(item)]);
      expect(await numbers(0, 10)).toEqual([1, 2, 3].map((number) => [number, `${number}`]));
      expect(await numbers(1, 1)).toEqual([[2, "2"]]);
      expect(await numbers(3, 10)).toEqual([]);
      expect((await other!.entries(0, 1)).floor).toBe(0);
      await one!.raiseFloor(7);
      await other!.raiseFloor(4);
      expect(await one!.floor()).toBe(7);
      expect((await other!.entries(4, 5)).floor).toBe(7);
      await one!.remove([entryName(1), entryName(99)]);
      expect(await numbers(0, 10)).toEqual([]);
      expect(await one!.create(entryName(1), Buffer.from("again"))).toBe(true);
    });

    it("lists items of a kind by number and name, and removes them", async () => {
      const names = [
        partName(3, "b", 0),
        partName(3, "a", 1),
        partName(12, "é-ü", 0),
        partName(100, "z".repeat(40), 0),
      ];
      for (const item of names) await one!.create(item, Buffer.alloc(10));
      await one!.create(checkpointName(5), Buffer.alloc(1));
      const listed = await other!.list("part", 50, 10);
      expect(listed).toEqual([names[1], names[0], names[2]]);
      expect(await other!.list("part", Number.MAX_SAFE_INTEGER, 1)).toEqual([names[1]]);
      expect(await other!.newest("part", 50)).toEqual(names[2]);
      expect(await other!.newest("part", Number.MAX_SAFE_INTEGER)).toEqual(names[3]);
      expect(await other!.newest("part", 2)).toBeUndefined();
      await other!.remove(listed);
      expect(await one!.list("part", Number.MAX_SAFE_INTEGER, 10)).toEqual([names[3]]);
      expect(await one!.list("checkpoint", 9, 10)).toEqual([checkpointName(5)]);
    });

    it("finds the first entry behind a gap of up to a thousand", async () => {
      for (const revision of [1, 2, 700, 1_650]) await one!.create(entryName(revision), Buffer.from("x"));
      await one!.create(checkpointName(2_000), Buffer.from("x"));
      await one!.raiseFloor(1);
      expect(await other!.firstAfter(0)).toBe(1);
      expect(await other!.firstAfter(1)).toBe(2);
      expect(await other!.firstAfter(2)).toBe(700);
      expect(await other!.firstAfter(700)).toBe(1_650);
      expect(await other!.firstAfter(1_650)).toBeUndefined();
    });

    it("keeps what nodes tell of use, apart from the log", async () => {
      const [here, there] = [new UsageItems(one!), new UsageItems(other!)];
      await here.tell("n-1/é", [Buffer.from("first "), Buffer.from("telling")]);
      await there.tell("n-2", [Buffer.from("another")]);
      await here.tell("n-1/é", [Buffer.from("second")]);
      const told = new Map((await there.told()).map((telling) => [telling.node, telling]));
      expect([...told.keys()].sort()).toEqual(["n-1/é", "n-2"]);
      expect(await told.get("n-1/é")?.read()).toEqual([Buffer.from("second")]);
      await here.tell("n-2", [Buffer.from("the next")]);
      expect(await told.get("n-2")?.read()).toBeUndefined();
      expect(await one!.list("usage", Number.MAX_SAFE_INTEGER, 10)).toHaveLength(2);
      expect((await one!.entries(0, 10)).entries).toEqual([]);
    });

    it("keeps items as large as its budgets say", async () => {
      for (const [item, size] of [
        [entryName(1), one!.budgets.entry],
        [partName(0, "large", 0), one!.budgets.part],
      ] as const) {
        const bytes = Buffer.alloc(size, 200);
        expect(await one!.create(item, bytes)).toBe(true);
        expect((await other!.read(item))?.equals(bytes)).toBe(true);
      }
    });

    describe("two nodes", () => {
      let first: JournalStore | undefined;
      let second: JournalStore | undefined;
      beforeEach(async () => {
        first = await openNode(await bed.open());
        second = await openNode(await bed.open());
      });
      afterEach(async () => {
        await first?.close();
        await second?.close();
      });
      const both = async (): Promise<void> => {
        await first!.catchUp();
        await second!.catchUp();
      };

      it("see what the other committed, soon and in order, with its change", async () => {
        const heard: unknown[] = [];
        second!.subscribe(({ revision, change }) => heard.push([revision, change?.users]));
        for (const user of ["é", "b", "c"]) {
          await first!.commit({ put: [{ partition: P, key: user, value: user }], change: { users: [user] } });
        }
        await expect.poll(() => heard.length, { interval: 5 }).toBe(3);
        expect(heard).toEqual([
          [1, ["é"]],
          [2, ["b"]],
          [3, ["c"]],
        ]);
        expect(await stateOf(second!)).toEqual(await stateOf(first!));
        expect(second!.logId).toBe(first!.logId);
        expect(second!.logId).toMatch(/^[\w-]{8}$/);
      });

      it("lose no update when they count up the same number", async () => {
        const increment = async (store: Store): Promise<void> => {
          for (;;) {
            const snapshot = await store.snapshot();
            const now = await snapshot.get(P, "number");
            const { revision } = snapshot;
            snapshot.release();
            try {
              await store.commit({
                reads: { revision, keys: new Map([[P, new Set(["number"])]]), ranges: [] },
                put: [{ partition: P, key: "number", value: String(Number(now?.value ?? 0) + 1) }],
              });
              return;
            } catch (error) {
              if ((error as { code?: string }).code !== "conflict") throw error;
              await delay(Math.random() * 20);
            }
          }
        };
        const clients = [first!, second!, first!, second!].map(async (store) => {
          for (let round = 0; round < 8; round++) await increment(store);
        });
        await Promise.all(clients);
        await both();
        expect(await textOf(first!, "number")).toBe("32");
        expect(await textOf(second!, "number")).toBe("32");
      });

      it("commit what is larger than an item, whole", async () => {
        const size = one!.budgets.part * 2 + 1_000;
        const value = "é".repeat(1_000);
        const put = Array.from({ length: Math.ceil(size / 2_000) }, (_, index) => ({
          partition: P,
          key: `k${String(index).padStart(6, "0")}`,
          value,
        }));
        await Promise.all([
          first!.commit({ put }),
          second!.commit({ put: [{ partition: P, key: "beside", value: "x" }] }),
        ]);
        await both();
        expect(await stateOf(second!)).toEqual(await stateOf(first!));
        expect(await stateOf(second!)).toHaveLength(put.length + 1);
      });

      it("start from a checkpoint once the entries before it are gone", async () => {
        for (let index = 0; index < 5; index++) {
          await first!.commit({ put: [{ partition: P, key: `k${index}`, value: "x" }] });
        }
        await delay(5);
        await first!.checkpoint();
        expect(await one!.floor()).toBe(5);
        expect(await one!.read(entryName(5))).toBeUndefined();
        await first!.commit({ delete: [{ partition: P, key: "k0" }] });
        const third = await openNode(await bed.open());
        await both();
        expect(await stateOf(third)).toEqual(await stateOf(first!));
        expect(third.revision).toBe(6);
        expect(third.logId).toBe(first!.logId);
        await third.commit({ put: [{ partition: P, key: "new", value: "x" }] });
        await both();
        expect(await textOf(second!, "new")).toBe("x");
        await third.close();
      });

      it("write a checkpoint when one is due, also counted over restarts, and not each of them", async () => {
        const settings = { checkpointEvery: 4, keepMs: 3_600_000 };
        const put = (store: Store, key: string) => store.commit({ put: [{ partition: P, key, value: "x" }] });
        const before = await openNode(sharedBy(one!), settings);
        for (const key of ["a", "b", "c"]) await put(before, key);
        await before.close();
        expect(await one!.list("checkpoint", 100, 10)).toEqual([]);
        const troubles: unknown[] = [];
        const log = { info: () => {}, error: (trouble: object) => void troubles.push(trouble) };
        const after = await openNode(sharedBy(one!), settings, { log });
        await put(after, "d");
        const written = async () => ({ written: (await one!.list("checkpoint", 100, 10)).length, troubles });
        await expect.poll(written).toEqual({ written: 1, troubles: [] });
        const beside = await openNode(sharedBy(other!), { ...settings, checkpointEvery: 2 });
        await put(beside, "e");
        await beside.close();
        await after.close();
        expect(await one!.list("checkpoint", 100, 10)).toHaveLength(1);
      });

      it("start anew when the log went back to an earlier state", async () => {
        const cable = { cut: false };
        const third = await openNode(sharedBy(other!, cable));
        const heard: unknown[] = [];
        third.subscribe(({ change }) => {
          heard.push(change);
        });
        await first!.commit({ put: [{ partition: P, key: "kept", value: "x" }] });
        await first!.commit({ put: [{ partition: P, key: "lost", value: "x" }] });
        await third.catchUp();
        cable.cut = true;
        await expect(third.catchUp()).rejects.toThrow("cut");
        await one!.remove([entryName(2)]);
        await one!.create(entryName(2), await entryOfAnotherHistory(one!));
        cable.cut = false;
        await third.catchUp();
        expect(third.counters.rewound).toBe(1);
        expect(heard).toContainEqual({ all: true });
        expect(await textOf(third, "lost")).toBeUndefined();
        expect(await textOf(third, "kept")).toBe("x");
        await third.commit({ put: [{ partition: P, key: "later", value: "x" }] });
        expect(third.revision).toBe(3);
        await third.close();
      });

      it("hold back while the other has the turn", async () => {
        await first!.takeTurn();
        await second!.catchUp();
        const order: string[] = [];
        const held = second!
          .commit({ put: [{ partition: P, key: "b", value: "x" }] })
          .then(() => order.push("second"));
        await delay(300);
        expect(order).toEqual([]);
        await first!.commit({ put: [{ partition: P, key: "a", value: "x" }] });
        order.push("first");
        await held;
        expect(order).toEqual(["first", "second"]);
      });
    });
  });
}

/** An entry like the second, with another id, as if the log had gone on from a backup. */
async function entryOfAnotherHistory(engine: Engine): Promise<Buffer> {
  const first = (await engine.read(entryName(1)))!;
  const head = decodeHead(first);
  const body = first.subarray(first.indexOf(10));
  const other = { ...head, revision: 2, id: "another", prev: head.id };
  return Buffer.concat([Buffer.from(JSON.stringify(other)), body]);
}
