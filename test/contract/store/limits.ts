/** Limits: what a store refuses and what it must be able to hold. */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { expect, it } from "vitest";
import { MAX_KEY_BYTES } from "../../../src/store/port.ts";
import { P, type StoreHarness } from "./harness.ts";

/** Declares this part of the contract. */
export function describeLimits(harness: StoreHarness): void {
  const { put, read, get, value, version, keysOf, refused, fill, hasVersion } = harness;
  const fillers = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ partition: P, key: `k${index}`, value: "x" }));

  it.each([100, 1_001, 30_000])("takes a commit of %d writes, whole or not at all", async (count) => {
    await put("k0", "before");
    const before = await harness.read(async ({ revision }) => revision);
    await refused({ expect: [hasVersion("k0", undefined)], put: fillers(count) }, "conflict");
    expect(await keysOf()).toEqual(["k0"]);
    const committed = harness.store.commit({ put: fillers(count) });
    const sizes = new Set<number>();
    for (let look = 0; look < 5; look++) {
      sizes.add((await keysOf({ limit: count })).length);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await committed).toBe(before + 1);
    sizes.add((await keysOf({ limit: count })).length);
    expect([1, count]).toEqual(expect.arrayContaining([...sizes]));
    expect(sizes).toContain(count);
    await harness.store.commit({ delete: fillers(count) });
    expect(await keysOf()).toEqual([]);
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
    await refused({ expect: [hasVersion(key, undefined)] }, "invalid_request");
    expect(await get(key)).toBeUndefined();
    expect(await read((snapshot) => snapshot.getMany(P, [key]))).toEqual([undefined]);
    await fill(["a", "b"]);
    if (key !== "") expect(await keysOf({ prefix: key })).toEqual([]);
  });

  it("refuses a key that is both put and deleted, or put twice", async () => {
    const a = { partition: P, key: "a" };
    await refused({ put: [{ ...a, value: "x" }], delete: [a] }, "invalid_request");
    await refused({ put: [1, 2].map((n) => ({ ...a, value: `${n}` })) }, "invalid_request");
    await harness.store.commit({ put: [{ ...a, value: "x" }], delete: [{ partition: "others", key: "a" }] });
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
