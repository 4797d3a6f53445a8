/** The log asked about one record: what an entry wrote there, and what was there at a revision. */

import { expect, it, vi } from "vitest";
import { P, type StoreHarness } from "./harness.ts";

/** Keys that are the beginning of others, or need an escape, or stand in the values of others. */
const KEYS = ["a", "aa", 'a"', "a\\", "é", "line\nline", `["${P}","a"`];
/** Far fewer than the records of the large commit. */
const MOST_TEXTS = 100;

/** Declares this part of the contract. */
export function describeHistoryOfKeys(harness: StoreHarness): void {
  const { remove } = harness;
  const everyKey = (value: (key: string) => string) =>
    harness.store.commit({ put: KEYS.map((key) => ({ partition: P, key, value: value(key) })) });
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      partition: P,
      key: `k${String(index).padStart(5, "0")}`,
      value: `${"é".repeat(200)}\n["${P}","a","wrong"]\n${index}`,
    }));

  it("says of each key what an entry wrote there, and of each revision what was there, as the whole would", async () => {
    const first = await everyKey((key) => `1 ${key}`);
    await remove("a");
    await harness.store.commit({ put: many(2_500) });
    await everyKey((key) => `\n["${P}","a","${key}"]\n`);
    await remove('a"');
    const { history } = harness.store;
    for (let revision = first; revision <= history.head.revision; revision++) {
      const whole = (await history.writes(revision))!;
      const snapshot = await history.snapshotAt(revision);
      for (const key of [...KEYS, "k02407", "none"]) {
        const name = { partition: P, key };
        const put = [...whole.put].find((one) => one.key === key);
        const isDeleted = [...whole.delete].some((one) => one.key === key);
        const write = await history.writeOf(revision, name);
        expect(write?.value, `${key} in ${revision}`).toBe(put?.value);
        expect(write !== undefined, `${key} in ${revision}`).toBe(put !== undefined || isDeleted);
        expect(await history.recordAt(revision, name), `${key} at ${revision}`).toEqual(
          await snapshot.get(P, key),
        );
      }
      snapshot.release();
    }
    const name = { partition: "other", key: "a" };
    expect(await history.writeOf(first, name)).toBeUndefined();
    expect(await history.recordAt(first, name)).toBeUndefined();
    expect(await history.recordAt(first - 1, { partition: P, key: "a" })).toBeUndefined();
    expect(await history.writeOf(history.head.revision + 1, name)).toBeUndefined();
    const never = history.recordAt(history.head.revision + 1, name);
    await expect(never).rejects.toMatchObject({ code: "not_found" });
  });

  it("has of the oldest state that is kept the record that a key had", async () => {
    await harness.store.commit({ put: many(2_500) });
    const kept = await everyKey((key) => `1 ${key}`);
    const { history } = harness.store;
    await history.forgetPast();
    await everyKey((key) => `2 ${key}`);
    await remove("a");
    expect(await history.keptFrom()).toBe(kept);
    for (const key of KEYS) {
      const record = { value: `1 ${key}`, version: String(kept) };
      expect(await history.recordAt(kept, { partition: P, key })).toEqual(record);
    }
    const gone = history.recordAt(kept - 1, { partition: P, key: "a" });
    await expect(gone).rejects.toMatchObject({ code: "not_found" });
    expect(await history.writeOf(kept, { partition: P, key: "a" })).toBeUndefined();
  });

  it("decodes of a large entry only what is asked for", async () => {
    const before = await harness.store.commit({ put: many(1) });
    const large = await harness.store.commit({ put: many(5_000) });
    await harness.store.commit({ put: many(5_000) });
    const { history } = harness.store;
    const decoded = vi.spyOn(JSON, "parse");
    try {
      const last = { partition: P, key: "k04999" };
      expect(await history.writeOf(large, last)).toMatchObject({ value: expect.stringMatching(/4999$/) });
      expect(await history.recordAt(large, last)).toMatchObject({ version: String(large) });
      expect(await history.recordAt(before, last)).toBeUndefined();
      expect(decoded.mock.calls.length).toBeLessThan(MOST_TEXTS);
    } finally {
      decoded.mockRestore();
    }
  });
}
