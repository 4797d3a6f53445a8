/** Callers name an entry of the log, and the log may have lost it (spec/journal §6): two nodes over one database. */

import { afterEach, describe, expect, it } from "vitest";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import type { JournalStore } from "../../src/journal/journal-store.ts";
import {
  type AskedPositions,
  CommitNotes,
  openRevisions,
  type StoreRevisions,
} from "../../src/journal/revisions.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import type { Store } from "../../src/store/port.ts";
import { type Cable, openNode, sharedBy } from "./bed.ts";
import { restorable } from "./restorable.ts";

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function revisionsOf(store: Store, patienceMs = 1_000): StoreRevisions {
  const revisions = openRevisions({ store, notes: new CommitNotes(), patienceMs });
  closing.push(() => revisions.close());
  return revisions;
}

async function node(engine: Parameters<typeof sharedBy>[0], cable?: Cable): Promise<JournalStore> {
  const store = await openNode({ ...sharedBy(engine, cable), watch: () => () => {} }, { pollMs: 3_600_000 });
  closing.push(() => store.close());
  return store;
}

const write = (store: Store, value: string) =>
  store.commit({ put: [{ partition: "things", key: "k", value }] });

/** "served", or the code of the refusal. */
async function outcome(revisions: StoreRevisions, asked: AskedPositions): Promise<string> {
  try {
    await revisions.reached(asked);
    return "served";
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

describe("a caller who names an entry", () => {
  it("is served by a node that has it, and by one that is behind once that has followed", async () => {
    const engine = new MemoryEngine();
    const [one, other] = [await node(engine), await node(engine)];
    const [here, there] = [revisionsOf(one), revisionsOf(other)];
    const positions: string[] = [];
    for (const value of ["a", "b", "c"]) {
      positions.push(here.positionOf(await write(one, value)));
    }
    expect(positions.at(-1)).toBe(here.current());
    for (const position of positions) {
      expect(here.reached({ position })).toBeUndefined();
      expect(await outcome(there, { position })).toBe("served");
    }
    expect(there.current()).toBe(here.current());
  });

  it("is told that the state went back, where the entry is lost and its number is not, or is", async () => {
    const { engine, save, putBack } = restorable();
    const [one, other] = [await node(engine), await node(engine)];
    const [here, there] = [revisionsOf(one), revisionsOf(other)];
    const kept = here.positionOf(await write(one, "a"));
    await save();
    const lost = here.positionOf(await write(one, "b"));
    const lostToo = here.positionOf(await write(one, "c"));
    putBack();
    // The one that has the lost entries serves them until it hears from the database.
    expect(await outcome(here, { position: lost })).toBe("served");
    await one.prove!();
    await other.prove!();
    const instead = there.positionOf(await write(other, "d"));
    expect(Number.parseInt(instead, 10)).toBe(Number.parseInt(lost, 10));
    for (const revisions of [here, there]) {
      expect(await outcome(revisions, { position: lost })).toBe("went_back");
      expect(await outcome(revisions, { position: lostToo })).toBe("went_back");
      expect(await outcome(revisions, { position: instead })).toBe("served");
      expect(await outcome(revisions, { position: kept })).toBe("served");
    }
  });

  it("is not told so by a node that only lags behind, nor by one that is cut off", async () => {
    const { engine, save, putBack } = restorable();
    const cable: Cable = { cut: false };
    const [one, other] = [await node(engine), await node(engine, cable)];
    const [here, there] = [revisionsOf(one), revisionsOf(other, 200)];
    await write(one, "a");
    await save();
    await write(one, "b");
    await other.catchUp();
    putBack();
    await one.prove!();
    const position = here.positionOf(await write(one, "c"));
    cable.cut = true;
    // Its copy has another entry of that number, which is the lost one.
    expect(await outcome(there, { position })).toBe("behind");
    cable.cut = false;
    await expect.poll(() => outcome(there, { position })).toBe("served");
  });

  it("is served where the entry is older than all that the node knows by id", async () => {
    const engine = new MemoryEngine();
    const one = await node(engine);
    const here = revisionsOf(one);
    const position = here.positionOf(await write(one, "a"));
    await write(one, "b");
    await one.checkpoint();
    const forgetful = openMemoryStore({ isReplica: true });
    const fresh = await openNode(sharedBy(engine), {}, { replica: forgetful });
    closing.push(() => fresh.close());
    const [number, log] = position.split(".");
    const revisions = revisionsOf({
      ...fresh,
      logId: fresh.logId,
      subscribe: (listener: Parameters<Store["subscribe"]>[0]) => fresh.subscribe(listener),
      prove: () => fresh.catchUp(),
      history: { ...fresh.history, head: fresh.history.head, idOf: async () => undefined },
    } as unknown as Store);
    expect(await outcome(revisions, { position: `${number}.${log}.AAAAAAAA` })).toBe("served");
  });
});

describe("a caller who names a number alone", () => {
  it("is told to forget it where it is above what is proved to be the newest, and waits where nothing is proved", async () => {
    const { engine, save, putBack } = restorable();
    const cable: Cable = { cut: false };
    const [one, other] = [await node(engine), await node(engine, cable)];
    const [here, there] = [revisionsOf(one), revisionsOf(other, 200)];
    await write(one, "a");
    await save();
    const revision = `${await write(one, "b")}.${one.logId}`;
    expect(await outcome(there, { revision })).toBe("served");
    putBack();
    await one.prove!();
    expect(await outcome(here, { revision })).toBe("other_log");
    expect(await outcome(here, { revision: revision.split(".")[0] })).toBe("other_log");
    cable.cut = true;
    expect(await outcome(there, { revision: `99.${one.logId}` })).toBe("behind");
  });
});

describe("a store of one process", () => {
  it("is its own proof, also once it has gone back", async () => {
    const store = openMemoryStore();
    closing.push(() => store.close());
    const revisions = revisionsOf(store);
    const image = store.capture();
    const position = revisions.positionOf(await write(store, "a"));
    const revision = position.slice(0, position.lastIndexOf("."));
    expect(await outcome(revisions, { position, revision })).toBe("served");
    expect(await outcome(revisions, { revision: `9.${store.logId}` })).toBe("other_log");
    expect(await outcome(revisions, { position: `1.${store.logId}.AAAAAAAA` })).toBe("went_back");
    expect(await outcome(revisions, { position: position.replace(store.logId, "AAAAAAAA") })).toBe(
      "other_log",
    );
    store.restore(image);
    await write(store, "b");
    expect(await outcome(revisions, { position: position.replace("1.", "3.") })).toBe("went_back");
  });

  it("names nothing while its log is empty", () => {
    const store = openMemoryStore();
    closing.push(() => store.close());
    expect(revisionsOf(store).current()).toBe("");
  });

  it.each([
    { revision: "newest" },
    { revision: "1." },
    { revision: "1.AAAAAAAA.AAAAAAAA" },
    { position: "1" },
    { position: "1.AAAAAAAA" },
    { position: "1.AAAAAAAA.AAAA" },
  ])("refuses $revision$position", async (asked) => {
    const store = openMemoryStore();
    closing.push(() => store.close());
    expect(await outcome(revisionsOf(store), asked)).toBe("invalid_request");
  });
});
