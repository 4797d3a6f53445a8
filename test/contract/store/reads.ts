/** Reads: look-ups, order, scans and their edges, paging. */

import { expect, it } from "vitest";
import { MAX_KEY_BYTES } from "../../../src/store/port.ts";
import { P, type StoreHarness } from "./harness.ts";

/** Declares this part of the contract. */
export function describeReads(harness: StoreHarness): void {
  const { put, remove, read, value, version, keysOf, fill } = harness;
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
