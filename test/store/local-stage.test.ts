import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { expectAbsent } from "../../src/store/expectation.ts";
import { openLocalStore, openLocalStoreInUse } from "../../src/store/local/local-store.ts";
import type { Snapshot, Stage, Store } from "../../src/store/port.ts";
import { withSnapshot } from "../../src/store/port.ts";
import { StoreHarness } from "../contract/store/harness.ts";
import { describeStoreOracle } from "../contract/store/oracle.ts";
import { describeOpenStore } from "../contract/store-contract.ts";
import { sized } from "../proofs/size.ts";
import { stagedStore } from "./staged-store.ts";

const P = "things";
const SUBJECT = { change: { all: true }, touched: { all: true }, actor: "load" } as const;

async function openStaged() {
  const parent = mkdtempSync(join(tmpdir(), "staged-contract-"));
  const path = join(parent, "store");
  let store = await openLocalStore({ path, syncWrites: false });
  return {
    store: stagedStore(store),
    reopen: async () => {
      await store.close();
      store = await openLocalStore({ path, syncWrites: false });
      return stagedStore(store);
    },
    close: async () => {
      await store.close();
      rmSync(parent, { recursive: true, force: true });
    },
  };
}

describe("what is staged and put in force is as if it were committed", () => {
  describeOpenStore(new StoreHarness(openStaged));
});
describeStoreOracle("local, each commit staged", openStaged);

describe("a stage", () => {
  let parent: string;
  let path: string;
  let store: Store;
  const reopen = async (): Promise<void> => {
    await store.close();
    store = await openLocalStore({ path, syncWrites: false });
  };
  beforeEach(async () => {
    parent = mkdtempSync(join(tmpdir(), "local-stage-"));
    path = join(parent, "store");
    store = await openLocalStore({ path, syncWrites: false });
  });
  afterEach(async () => {
    await store.close();
    rmSync(parent, { recursive: true, force: true });
  });

  const begin = (): Promise<Stage> => store.stage!(SUBJECT);
  const puts = (records: Readonly<Record<string, string>>) =>
    Object.entries(records).map(([key, value]) => ({ partition: P, key, value }));
  const names = (...keys: string[]) => keys.map((key) => ({ partition: P, key }));
  const put = (records: Readonly<Record<string, string>>) => store.commit({ put: puts(records) });
  const texts = async (snapshot: Snapshot, limit = 1_000): Promise<string[]> => {
    const found: string[] = [];
    for (let after = ""; ; ) {
      const page = await snapshot.scan(P, { limit, ...(after !== "" && { after }) });
      found.push(...page.map(({ key, value }) => `${key}=${value}`));
      if (page.length < limit) return found;
      after = page.at(-1)!.key;
    }
  };
  const state = (limit?: number) => withSnapshot(store, (snapshot) => texts(snapshot, limit));
  const stateOf = async (stage: Stage): Promise<string[]> => {
    const snapshot = await stage.snapshot();
    try {
      return await texts(snapshot, 2);
    } finally {
      snapshot.release();
    }
  };
  const conflict = async (work: Promise<unknown>): Promise<void> => {
    expect(isErrorCode(await work.catch((error: unknown) => error), "conflict")).toBe(true);
  };

  it("is seen by nobody before it is put in force, and then as one entry", async () => {
    await put({ a: "1", b: "1", c: "1", d: "1" });
    const heard: number[] = [];
    store.subscribe(({ revision }) => heard.push(revision));
    const stage = await begin();
    await stage.add({ put: puts({ b: "2", e: "2" }), delete: names("c", "absent") });
    await stage.add({ put: puts({ f: "2" }), delete: names("a") });
    const before = await store.snapshot();
    for (const limit of [1, 2, 3, 1_000]) expect(await state(limit)).toEqual(["a=1", "b=1", "c=1", "d=1"]);
    expect(await stateOf(stage)).toEqual(["b=2", "d=1", "e=2", "f=2"]);
    expect([heard, store.history.head.revision]).toEqual([[], 1]);
    const reader = await openLocalStoreInUse(path);
    expect(await withSnapshot(reader, (snapshot) => texts(snapshot))).toEqual(["a=1", "b=1", "c=1", "d=1"]);
    await reader.close();

    expect(await stage.commit()).toBe(2);
    expect(await state(2)).toEqual(["b=2", "d=1", "e=2", "f=2"]);
    expect(await texts(before)).toEqual(["a=1", "b=1", "c=1", "d=1"]);
    before.release();
    expect(heard).toEqual([2]);
    const [entry] = (await store.changes(1, 10))!;
    expect(entry).toMatchObject({ change: { all: true }, useCases: [{ actor: "load" }] });
    expect(await store.history.writes(2)).toMatchObject({
      put: puts({ b: "2", e: "2", f: "2" }),
      delete: names("c", "a"),
    });
    await reopen();
    expect(await state()).toEqual(["b=2", "d=1", "e=2", "f=2"]);
    const past = await store.history.snapshotAt(1);
    expect(await texts(past)).toEqual(["a=1", "b=1", "c=1", "d=1"]);
    past.release();
  });

  it("that is abandoned, or ends with its process, leaves nothing behind", async () => {
    await put({ a: "1", b: "1" });
    const abandoned = await begin();
    await abandoned.add({ put: puts({ a: "2", c: "2" }), delete: names("b") });
    await abandoned.abandon();
    expect(await state(1)).toEqual(["a=1", "b=1"]);
    const left = await begin();
    await left.add({ put: puts({ a: "3", d: "3" }), delete: names("b") });
    await reopen();
    expect(await state(1)).toEqual(["a=1", "b=1"]);
    // The next stage waits for what is swept.
    const next = await begin();
    await next.add({ put: puts({ d: "4" }) });
    expect(await stateOf(next)).toEqual(["a=1", "b=1", "d=4"]);
    await next.commit();
    expect(await state()).toEqual(["a=1", "b=1", "d=4"]);
    expect(await store.history.head.revision).toBe(2);
  });

  it("is lost once somebody else writes what it wrote or read, and takes nothing from him", async () => {
    await put({ a: "1", b: "1" });
    const reads = (key: string) => ({
      revision: store.history.head.revision,
      keys: new Map([[P, new Map([[key, 1]])]]),
      ranges: [],
    });
    for (const [key, isWritten] of [
      ["a", true],
      ["b", false],
    ] as const) {
      const stage = await begin();
      await stage.add({ put: puts({ x: "2", ...(isWritten && { [key]: "2" }) }), reads: reads(key) });
      await put({ unrelated: key });
      expect(stage.isLost).toBe(false);
      await put({ [key]: "3" });
      expect(stage.isLost).toBe(true);
      await conflict(stage.add({ put: puts({ y: "2" }) }));
      await conflict(stage.commit());
      await stage.abandon();
    }
    const scanned = await begin();
    const range = { partition: P, prefix: "s", after: undefined, upTo: undefined };
    await scanned.add({ put: puts({ x: "2" }), reads: { ...reads("b"), ranges: [range] } });
    await put({ r: "3" });
    expect(scanned.isLost).toBe(false);
    await put({ s1: "3" });
    expect(scanned.isLost).toBe(true);
    await scanned.abandon();
    expect(await state()).toEqual(["a=3", "b=3", "r=3", "s1=3", "unrelated=b"]);
  });

  it("refuses a piece whose reads are outdated, and goes on with it made anew", async () => {
    await put({ a: "1" });
    const reads = (revision: number) => ({ revision, keys: new Map([[P, new Map([["a", 1]])]]), ranges: [] });
    const stage = await begin();
    await put({ a: "2" });
    await conflict(stage.add({ put: puts({ b: "1" }), reads: reads(1) }));
    expect([stage.isLost, await stateOf(stage)]).toEqual([false, ["a=2"]]);
    await stage.add({ put: puts({ b: "2" }), reads: reads(2) });
    await stage.commit();
    expect(await state()).toEqual(["a=2", "b=2"]);
  });

  it("checks its conditions when it is put in force", async () => {
    await put({ a: "1" });
    const stage = await begin();
    await stage.add({ put: puts({ b: "1" }) });
    await conflict(stage.commit({ expect: [expectAbsent({ partition: P, key: "a" })] }));
    await stage.abandon();
    expect(await state()).toEqual(["a=1"]);
  });

  it("waits for the one before", async () => {
    const first = await begin();
    const second = begin();
    await first.add({ put: puts({ a: "1" }) });
    await first.commit();
    const stage = await second;
    expect(await stateOf(stage)).toEqual(["a=1"]);
    await stage.abandon();
  });

  it("may write a key again and again: the last write counts, in the state and in its entry", async () => {
    const key = fc.constantFrom("a", "b", "c", "d");
    const piece = fc.dictionary(key, fc.option(fc.stringMatching(/^[x\n"]{0,3}$/), { nil: undefined }));
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 5 }), fc.boolean(), async (pieces, keeps) => {
        const before = await state();
        const { revision } = store.history.head;
        const wanted = new Map(
          before.map((text) => [text[0]!, text.slice(2)] as [string, string | undefined]),
        );
        const stage = await begin();
        for (const writes of pieces) {
          const entries = Object.entries(writes);
          await stage.add({
            put: entries.flatMap(([one, value]) => (value === undefined ? [] : puts({ [one]: value }))),
            delete: entries.flatMap(([one, value]) => (value === undefined ? names(one) : [])),
          });
          for (const [one, value] of entries) wanted.set(one, value);
        }
        const after = [...wanted].flatMap(([one, value]) => (value === undefined ? [] : [`${one}=${value}`]));
        expect(await stateOf(stage)).toEqual(after.sort());
        if (!keeps) {
          await stage.abandon();
          expect(await state()).toEqual(before);
          return;
        }
        await stage.commit();
        expect(await state(1)).toEqual(after.sort());
        const { put: written, delete: deleted } = (await store.history.writes(revision + 1))!;
        const replayed = new Map(before.map((text) => [text[0]!, text.slice(2)]));
        for (const { key: one, value } of written) replayed.set(one, value);
        for (const { key: one } of deleted) replayed.delete(one);
        expect([...replayed].map(([one, value]) => `${one}=${value}`).sort()).toEqual(after.sort());
        const past = await store.history.snapshotAt(revision);
        expect(await texts(past)).toEqual(before);
        past.release();
      }),
      { numRuns: sized(20, 60) },
    );
  });
});
