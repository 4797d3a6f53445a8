/** A store keeps what it committed, whatever another process that opens its files makes LMDB note. */

import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openLocalStore } from "../../src/store/local/local-store.ts";
import { openCopy } from "../../src/store/local/replica-copy.ts";
import { type Snapshot, type Store, withSnapshot } from "../../src/store/port.ts";
import { sized } from "../proofs/size.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { type Child, startChild } from "./children/child.ts";

const COMMITS = sized(1_500, 100_000);
const OPENERS = 2;
/** Place of the newest transaction's number in the file of LMDB's readers. */
const NOTED_AT = 8;

let path: string;
const children: Child[] = [];
beforeEach(() => {
  path = join(temporaryFolder(), "store");
});
afterEach(async () => {
  for (const child of children.splice(0)) await child.kill();
});

const nameOf = (number: number) => String(number).padStart(8, "0");
const put = (number: number) => ({ partition: "p", key: nameOf(number), value: "v" });
const keysOf = async (snapshot: Snapshot) =>
  (await snapshot.scan("p", { limit: Number.MAX_SAFE_INTEGER })).map(({ key }) => key);
const keysIn = (store: Store) => withSnapshot(store, keysOf);
const firstNames = (count: number) => Array.from({ length: count }, (_, number) => nameOf(number));

/** Notes the transaction before the newest, as a process does that opens the files at the moment of a commit. */
class Opener {
  readonly #readers = openSync(join(path, "lock.mdb"), "r+");

  noteOlder(): void {
    const bytes = Buffer.alloc(8);
    readSync(this.#readers, bytes, 0, 8, NOTED_AT);
    bytes.writeBigUInt64LE(bytes.readBigUInt64LE() - 1n);
    writeSync(this.#readers, bytes, 0, 8, NOTED_AT);
  }

  /** After the store is closed: it would take LMDB's locks along. */
  close(): void {
    closeSync(this.#readers);
  }
}

it(`keeps ${COMMITS} commits, and shows each at once, while others open and close the store`, async () => {
  const store = await openLocalStore({ path, syncWrites: false });
  try {
    for (let count = 0; count < OPENERS; count++) children.push(startChild("open-again.ts", [path]));
    await Promise.all(children.map((child) => child.printed(1)));
    const lost: number[] = [];
    for (let number = 0; number < COMMITS; number++) {
      expect(await store.commit({ put: [put(number)] })).toBe(number + 1);
      const seen = await withSnapshot(store, (snapshot) => snapshot.get("p", nameOf(number)));
      if (seen === undefined) lost.push(number);
    }
    expect(lost).toEqual([]);
    expect(await keysIn(store)).toEqual(firstNames(COMMITS));
  } finally {
    await store.close();
  }
});

describe("with an older transaction noted", () => {
  /** Opens a store and an opener beside it, and closes both afterwards. */
  async function inStore(test: (store: Store, opener: Opener) => Promise<void>): Promise<void> {
    const store = await openLocalStore({ path, syncWrites: true });
    const opener = new Opener();
    await test(store, opener);
    await store.close();
    opener.close();
  }

  it("a store goes on from its newest state, and shows it", () =>
    inStore(async (store, opener) => {
      for (let number = 0; number < 10; number++) {
        await store.commit({ put: [put(number)] });
        opener.noteOlder();
        expect(await keysIn(store)).toHaveLength(number + 1);
        opener.noteOlder();
      }
      const both = [10, 11].map((number) => store.commit({ put: [put(number)] }));
      expect(new Set(await Promise.all(both))).toEqual(new Set([11, 12]));
      expect(await keysIn(store)).toEqual(firstNames(12));
      expect(await store.changes(0, 100)).toHaveLength(12);
    }));

  it("a large commit goes on from the newest state", () =>
    inStore(async (store, opener) => {
      await store.commit({ put: [put(0)] });
      opener.noteOlder();
      await store.commit({ put: Array.from({ length: 2_000 }, (_, number) => put(number + 1)) });
      expect(await keysIn(store)).toEqual(firstNames(2_001));
    }));

  it("history is that of the newest state", () =>
    inStore(async (store, opener) => {
      await store.commit({ put: [put(0)] });
      await store.commit({ put: [put(1)] });
      opener.noteOlder();
      expect(await store.changes(1, 10)).toHaveLength(1);
    }));

  it("a copy goes on from the entry that it applied last", async () => {
    const copy = await openCopy(path);
    const opener = new Opener();
    for (let revision = 1; revision <= 10; revision++) {
      const entry = { revision, id: nameOf(revision), at: "2026-11-29T00:00:00.000Z", node: "n" };
      await copy.apply(entry, { put: [put(revision - 1)], delete: [] });
      opener.noteOlder();
    }
    const found: string[] = [];
    for await (const page of copy.pages(() => {})) found.push(...page.map(({ key }) => key));
    expect(found).toEqual(firstNames(10));
    await copy.close();
    opener.close();
  });
});
