/** The contract of the store port as one suite, run by every backend. */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isErrorCode } from "../../src/errors.ts";
import type { Commit, Snapshot, Store } from "../../src/store/store.ts";
import { MAX_COMMIT_OPERATIONS, MAX_KEY_BYTES, withSnapshot } from "../../src/store/store.ts";
import { describeStoreOracle } from "./store-oracle.ts";

/** A backend under test, opened empty. */
export interface OpenedStore {
  readonly store: Store;
  /** Closes the store and opens the same data again; absent for a backend that keeps nothing. */
  readonly reopen?: () => Promise<Store>;
  /** Closes whatever is open and removes the data. */
  readonly close: () => Promise<void>;
}

const P = "things";

let opened: OpenedStore;
let store: Store;

const put = (key: string, value = "x", partition = P): Promise<void> =>
  store.commit({ put: [{ partition, key, value }] });
const remove = (key: string): Promise<void> => store.commit({ delete: [{ partition: P, key }] });
const read = <T>(action: (snapshot: Snapshot) => Promise<T>): Promise<T> => withSnapshot(store, action);
const get = (key: string, partition = P) => read((snapshot) => snapshot.get(partition, key));
const value = async (key: string, partition = P) => (await get(key, partition))?.value;
const version = async (key: string) => (await get(key))?.version;
const keysOf = (options: { prefix?: string; after?: string; limit?: number } = {}, partition = P) =>
  read(async (snapshot) =>
    (await snapshot.scan(partition, { limit: 1000, ...options })).map(({ key }) => key),
  );
const refused = async (commit: Commit, code: "conflict" | "invalid_request") =>
  expect(isErrorCode(await store.commit(commit).catch((error: unknown) => error), code)).toBe(true);

async function fill(keys: readonly string[]): Promise<void> {
  for (let at = 0; at < keys.length; at += MAX_COMMIT_OPERATIONS) {
    const part = keys.slice(at, at + MAX_COMMIT_OPERATIONS);
    await store.commit({ put: part.map((key) => ({ partition: P, key, value: `value of ${key}` })) });
  }
}

function describeCommits(): void {
  it("writes all of a commit, over partitions", async () => {
    await put("old");
    await store.commit({
      put: [
        { partition: P, key: "a", value: "1" },
        { partition: "others", key: "a", value: "2" },
      ],
      delete: [{ partition: P, key: "old" }],
    });
    expect([await value("a"), await value("a", "others"), await value("old")]).toEqual(["1", "2", undefined]);
  });

  it("writes nothing of a commit whose last expectation fails", async () => {
    await put("a", "before");
    await refused(
      {
        expect: [
          { partition: P, key: "a", version: await version("a") },
          { partition: P, key: "a", version: undefined },
        ],
        put: [
          { partition: P, key: "a", value: "after" },
          { partition: P, key: "b", value: "after" },
        ],
      },
      "conflict",
    );
    expect([await value("a"), await value("b")]).toEqual(["before", undefined]);
  });

  it("takes an expectation of absence only while the key is absent", async () => {
    const create: Commit = {
      expect: [{ partition: P, key: "a", version: undefined }],
      put: [{ partition: P, key: "a", value: "first" }],
    };
    await store.commit(create);
    await refused(create, "conflict");
    await remove("a");
    await store.commit(create);
    expect(await value("a")).toBe("first");
  });

  it("takes an expected version only until the key is written or deleted", async () => {
    await put("a");
    const seen = await version("a");
    const update: Commit = {
      expect: [{ partition: P, key: "a", version: seen }],
      put: [{ partition: P, key: "a", value: "y" }],
    };
    await store.commit(update);
    await refused(update, "conflict");
    const next = await version("a");
    await remove("a");
    await refused({ ...update, expect: [{ partition: P, key: "a", version: next }] }, "conflict");
    expect(await value("a")).toBeUndefined();
  });

  it("checks a commit of expectations alone", async () => {
    await put("a");
    await store.commit({ expect: [{ partition: P, key: "a", version: await version("a") }] });
    await refused({ expect: [{ partition: P, key: "a", version: undefined }] }, "conflict");
    await store.commit({});
  });

  it("does not take an expectation in one partition for another's", async () => {
    await put("a");
    await store.commit({ expect: [{ partition: "others", key: "a", version: undefined }] });
  });

  it("deletes what is absent without an error", async () => {
    await remove("never there");
    await store.commit({ delete: [1, 2].map(() => ({ partition: P, key: "never there" })) });
  });

  it("gives a new version to each write of a key, also of the same value and after delete and re-create", async () => {
    const seen = new Set<string | undefined>();
    for (let round = 0; round < 20; round++) {
      await put("a", "same");
      seen.add(await version("a"));
      if (round % 2 === 0) await remove("a");
    }
    expect(seen.size).toBe(20);
  });

  it("loses no update of 20 concurrent writers who retry on conflict", async () => {
    await put("counter", "0");
    let conflicts = 0;
    const increment = async (): Promise<void> => {
      const now = await get("counter");
      const next: Commit = {
        expect: [{ partition: P, key: "counter", version: now!.version }],
        put: [{ partition: P, key: "counter", value: String(Number(now!.value) + 1) }],
      };
      try {
        await store.commit(next);
      } catch (error) {
        if (!isErrorCode(error, "conflict")) throw error;
        conflicts++;
        await increment();
      }
    };
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        for (let round = 0; round < 5; round++) await increment();
      }),
    );
    expect(await value("counter")).toBe("100");
    expect(conflicts).toBeGreaterThan(0);
  });

  it("lets one of many concurrent creations win", async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 30 }, (_, index) =>
        store.commit({
          expect: [{ partition: P, key: "name", version: undefined }],
          put: [{ partition: P, key: "name", value: String(index) }],
        }),
      ),
    );
    const winners = outcomes.flatMap(({ status }, index) => (status === "fulfilled" ? [String(index)] : []));
    expect(winners).toEqual([await value("name")]);
  });
}

function describeLimits(): void {
  const fillers = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ partition: P, key: `k${index}`, value: "x" }));

  it(`takes ${MAX_COMMIT_OPERATIONS} operations and refuses one more, whatever their kind`, async () => {
    await store.commit({ put: fillers(MAX_COMMIT_OPERATIONS) });
    expect(await keysOf()).toHaveLength(MAX_COMMIT_OPERATIONS);
    await refused(
      {
        expect: [{ partition: P, key: "new", version: undefined }],
        put: fillers(MAX_COMMIT_OPERATIONS - 1),
        delete: [{ partition: P, key: "another" }],
      },
      "invalid_request",
    );
  });

  it.each([
    ["an empty key", ""],
    ["a key with NUL", "a\0b"],
    ["a key over the limit", "k".repeat(MAX_KEY_BYTES + 1)],
    ["a key over the limit in bytes, not in characters", "é".repeat(MAX_KEY_BYTES / 2 + 1)],
    ["a very long key", "k".repeat(100_000)],
    ["a key with a lone surrogate", "a\ud800"],
  ])("refuses to write %s, and finds nothing under it", async (_, key) => {
    await refused({ put: [{ partition: P, key, value: "x" }] }, "invalid_request");
    await refused({ delete: [{ partition: P, key }] }, "invalid_request");
    await refused({ expect: [{ partition: P, key, version: undefined }] }, "invalid_request");
    expect(await get(key)).toBeUndefined();
    expect(await read((snapshot) => snapshot.getMany(P, [key]))).toEqual([undefined]);
    await fill(["a", "b"]);
    if (key !== "") expect(await keysOf({ prefix: key })).toEqual([]);
  });

  it("refuses a key that is both put and deleted, or put twice", async () => {
    const a = { partition: P, key: "a" };
    await refused({ put: [{ ...a, value: "x" }], delete: [a] }, "invalid_request");
    await refused({ put: [1, 2].map((n) => ({ ...a, value: `${n}` })) }, "invalid_request");
    await store.commit({ put: [{ ...a, value: "x" }], delete: [{ partition: "others", key: "a" }] });
  });

  it.each([0, -1, 1.5, Number.NaN])("refuses a scan with limit %d", async (limit) => {
    const scan = read((snapshot) => snapshot.scan(P, { limit }));
    expect(isErrorCode(await scan.catch((error: unknown) => error), "invalid_request")).toBe(true);
  });

  it.each(["", "Upper", "with space", "a\0", "p".repeat(33), "é"])(
    "knows no partition %j",
    async (partition) => {
      await expect(put("a", "x", partition)).rejects.toThrow(/partition/);
      await expect(get("a", partition)).rejects.toThrow(/partition/);
      await expect(keysOf({}, partition)).rejects.toThrow(/partition/);
    },
  );

  it("keeps names of 1,024 bytes below a prefix, and keys of the full length", async () => {
    const names = ["n".repeat(1024), "é".repeat(512), "🦊".repeat(256), "\uffff".repeat(341)];
    const keys = [...names.map((name) => `${"group/member/"}${name}`), "k".repeat(MAX_KEY_BYTES)];
    await fill(keys);
    for (const key of keys) expect(await value(key)).toBe(`value of ${key}`);
    expect(await keysOf({ prefix: "group/member/" })).toHaveLength(names.length);
  });

  it.each([0, 1, 4_095, 4_096, 65_536, 5 * 1024 * 1024])(
    "keeps a value of %d bytes, read and scanned",
    async (size) => {
      const text = "é".repeat(size >> 1) + (size % 2 === 1 ? "!" : "");
      await put("big", text);
      expect((await value("big")) === text).toBe(true);
      const [scanned] = await read((snapshot) => snapshot.scan(P, { limit: 1 }));
      expect(scanned?.value === text && scanned.version === (await version("big"))).toBe(true);
    },
  );

  it("keeps texts as they are: NUL, newlines, quotes, astral characters, a byte order mark", async () => {
    const odd = "\ufeff\0\n\r\"'\\ \u2028 🦊 e\u0301 \u{10ffff} __proto__";
    await put("odd", odd);
    expect(await value("odd")).toBe(odd);
    await put("__proto__", "a name like another");
    await put("constructor");
    expect([await value("__proto__"), await value("toString")]).toEqual(["a name like another", undefined]);
  });
}

function describeReads(): void {
  it("reads many keys in the order asked, with repetitions and gaps", async () => {
    await fill(["a", "b"]);
    const found = await read((snapshot) => snapshot.getMany(P, ["b", "none", "a", "b"]));
    expect(found.map((record) => record?.value)).toEqual([
      "value of b",
      undefined,
      "value of a",
      "value of b",
    ]);
    expect(await read((snapshot) => snapshot.getMany(P, []))).toEqual([]);
  });

  it("orders keys by their UTF-8 bytes and keeps look-alikes apart", async () => {
    const keys = [
      "A",
      "Z",
      "a",
      "z",
      "Å",
      "é",
      "e\u0301",
      "ﬀ",
      "\uffff",
      "\ue000",
      "😀",
      "𝒜",
      "\u{10ffff}",
      "ä",
      "aa",
    ];
    await fill(keys);
    const byBytes = [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect(await keysOf()).toEqual(byBytes);
    expect(byBytes.indexOf("😀")).toBeGreaterThan(byBytes.indexOf("\uffff"));
    for (const key of keys) expect(await value(key)).toBe(`value of ${key}`);
  });

  it("scans only its own partition, at both ends", async () => {
    await fill(["m"]);
    for (const partition of ["thing", "things2", "things-2", "a", "zz"]) await put("m", "foreign", partition);
    expect(await keysOf()).toEqual(["m"]);
    expect(await keysOf({}, "thing")).toEqual(["m"]);
    expect(await keysOf({}, "empty")).toEqual([]);
  });

  it("scans exactly the keys with a prefix", async () => {
    await fill(["a", "a\u0001", "a/", "a/x", "a\uffff", "a\u{10ffff}", "a\u{10ffff}z", "b", "A", "á"]);
    expect(await keysOf({ prefix: "a" })).toEqual([
      "a",
      "a\u0001",
      "a/",
      "a/x",
      "a\uffff",
      "a\u{10ffff}",
      "a\u{10ffff}z",
    ]);
    expect(await keysOf({ prefix: "a/" })).toEqual(["a/", "a/x"]);
    expect(await keysOf({ prefix: "a\uffff" })).toEqual(["a\uffff"]);
    expect(await keysOf({ prefix: "a\u{10ffff}" })).toEqual(["a\u{10ffff}", "a\u{10ffff}z"]);
    expect(await keysOf({ prefix: "a/xy" })).toEqual([]);
  });

  it("scans after a key that need not exist, nor have the prefix", async () => {
    await fill(["a", "b/1", "b/2", "b/4", "c"]);
    expect(await keysOf({ after: "a" })).toEqual(["b/1", "b/2", "b/4", "c"]);
    expect(await keysOf({ prefix: "b/", after: "b/2" })).toEqual(["b/4"]);
    expect(await keysOf({ prefix: "b/", after: "b/3" })).toEqual(["b/4"]);
    expect(await keysOf({ prefix: "b/", after: "b/" })).toEqual(["b/1", "b/2", "b/4"]);
    expect(await keysOf({ prefix: "b/", after: "a" })).toEqual(["b/1", "b/2", "b/4"]);
    expect(await keysOf({ prefix: "b/", after: "" })).toEqual(["b/1", "b/2", "b/4"]);
    expect(await keysOf({ prefix: "b/", after: "b/4" })).toEqual([]);
    expect(await keysOf({ prefix: "b/", after: "bb" })).toEqual([]);
    expect(await keysOf({ prefix: "b/", after: "zzz" })).toEqual([]);
    expect(await keysOf({ after: "c" })).toEqual([]);
  });

  it("scans after a key with NUL, and after one longer than any key", async () => {
    const full = "k".repeat(MAX_KEY_BYTES);
    await fill(["a", "b", full, "l"]);
    expect(await keysOf({ after: "a\0" })).toEqual(["b", full, "l"]);
    expect(await keysOf({ after: `${full}x` })).toEqual(["l"]);
    expect(await keysOf({ after: full.slice(1) })).toEqual([full, "l"]);
    expect(await keysOf({ after: "a".repeat(100_000) })).toEqual(["b", full, "l"]);
  });

  it("ends a scan at its limit", async () => {
    await fill(["a", "b", "c"]);
    expect(await keysOf({ limit: 1 })).toEqual(["a"]);
    expect(await keysOf({ limit: 3 })).toEqual(["a", "b", "c"]);
    expect(await keysOf({ limit: Number.MAX_SAFE_INTEGER })).toEqual(["a", "b", "c"]);
    expect(await keysOf({ after: "a", limit: 1 })).toEqual(["b"]);
  });

  it("gives a scan the versions that a look-up gives", async () => {
    await fill(["a", "b"]);
    await put("a");
    const scanned = await read((snapshot) => snapshot.scan(P, { limit: 9 }));
    expect(scanned.map((record) => record.version)).toEqual([await version("a"), await version("b")]);
  });

  it("pages through what stays, once each, while others write", async () => {
    const staying = Array.from({ length: 150 }, (_, index) => `s${String(index).padStart(3, "0")}`);
    await fill(staying);
    const paged: string[] = [];
    for (let after: string | undefined, round = 0; ; round++) {
      const page = await keysOf({ ...(after === undefined ? {} : { after }), limit: 7 });
      if (page.length === 0) break;
      paged.push(...page);
      after = page.at(-1)!;
      await Promise.all([
        put(`s000-new-${round}`),
        put(`s149-new-${round % 5}`),
        remove(`s000-new-${round - 1}`),
      ]);
    }
    expect(paged.filter((key) => !key.includes("new"))).toEqual(staying);
    expect(new Set(paged).size).toBe(paged.length);
  });
}

function describeSnapshots(): void {
  it("keeps every read of a snapshot on one state while others write", async () => {
    await fill(["a", "b", "c"]);
    const snapshot = await store.snapshot();
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
      const snapshot = await store.snapshot();
      expect((await snapshot.get(P, "a"))?.value).toBe(String(round));
      held.push(snapshot);
    }
    for (const [round, snapshot] of held.entries()) {
      expect((await snapshot.get(P, "a"))?.value).toBe(String(round));
      snapshot.release();
    }
  });

  it("never shows half of a commit to readers who race writers", async () => {
    let writing = true;
    const writers = [1, 2, 3].map(async (writer) => {
      for (let round = 0; round < 30; round++) {
        const text = `${writer}-${round}`;
        await store.commit({ put: ["a", "m", "z"].map((key) => ({ partition: P, key, value: text })) });
      }
    });
    const reader = async (): Promise<void> => {
      while (writing) {
        const snapshot = await store.snapshot();
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
      snapshots.push(await store.snapshot());
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
    const [first, second] = [await store.snapshot(), await store.snapshot()];
    first.release();
    first.release();
    await expect(first.get(P, "a")).rejects.toThrow(/release/);
    await expect(first.getMany(P, ["a"])).rejects.toThrow(/release/);
    await expect(first.scan(P, { limit: 1 })).rejects.toThrow(/release/);
    expect(await second.get(P, "a")).toBeUndefined();
    second.release();
  });
}

function describeClosing(): void {
  it("is healthy while it is open", async () => {
    await store.health();
  });

  it("finishes the commits under way and refuses everything afterwards", async () => {
    const snapshot = await store.snapshot();
    const commits = Array.from({ length: 10 }, (_, index) => put(`k${index}`));
    await store.close();
    await Promise.all(commits);
    const calls = [
      store.snapshot(),
      put("a"),
      store.health(),
      snapshot.get(P, "a"),
      snapshot.scan(P, { limit: 1 }),
    ];
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome.status === "rejected" && isErrorCode(outcome.reason, "unavailable")).toBe(true);
    }
    snapshot.release();
    await store.close();
  });

  it("keeps records and never repeats a version over reopening, where it keeps data", async () => {
    if (opened.reopen === undefined) return;
    const versions: (string | undefined)[] = [];
    for (let round = 0; round < 3; round++) {
      await put("a", String(round));
      versions.push(await version("a"));
      await remove("a");
      await put(`kept${round}`);
      store = await opened.reopen();
    }
    expect(await keysOf()).toEqual(["kept0", "kept1", "kept2"]);
    expect(new Set(versions).size).toBe(3);
  });
}

/** Declares the suite for one backend. `open` gives a new, empty store each time. */
export function describeStoreContract(name: string, open: () => Promise<OpenedStore>): void {
  describe(`store contract: ${name}`, () => {
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.close());
    describe("commits", describeCommits);
    describe("limits", describeLimits);
    describe("reads", describeReads);
    describe("snapshots", describeSnapshots);
    describe("closing", describeClosing);
  });
  describeStoreOracle(name, open);
}
