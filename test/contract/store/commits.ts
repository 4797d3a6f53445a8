/** Commits: atomic, conditional, versioned. */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { expect, it } from "vitest";
import type { Commit } from "../../../src/store/port.ts";
import { P, type StoreHarness } from "./harness.ts";

/** Declares this part of the contract. */
export function describeCommits(harness: StoreHarness): void {
  const { put, remove, get, value, version, refused, hasVersion } = harness;
  it("writes all of a commit, over partitions", async () => {
    await put("old");
    await harness.store.commit({
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
        expect: [hasVersion("a", await version("a")), hasVersion("a", undefined)],
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
      expect: [hasVersion("a", undefined)],
      put: [{ partition: P, key: "a", value: "first" }],
    };
    await harness.store.commit(create);
    await refused(create, "conflict");
    await remove("a");
    await harness.store.commit(create);
    expect(await value("a")).toBe("first");
  });

  it("takes an expected version only until the key is written or deleted", async () => {
    await put("a");
    const seen = await version("a");
    const update: Commit = {
      expect: [hasVersion("a", seen)],
      put: [{ partition: P, key: "a", value: "y" }],
    };
    await harness.store.commit(update);
    await refused(update, "conflict");
    const next = await version("a");
    await remove("a");
    await refused({ ...update, expect: [hasVersion("a", next)] }, "conflict");
    expect(await value("a")).toBeUndefined();
  });

  it("checks a commit of expectations alone", async () => {
    await put("a");
    await harness.store.commit({ expect: [hasVersion("a", await version("a"))] });
    await refused({ expect: [hasVersion("a", undefined)] }, "conflict");
    await harness.store.commit({});
  });

  it("does not take an expectation in one partition for another's", async () => {
    await put("a");
    await harness.store.commit({ expect: [hasVersion("a", undefined, "others")] });
  });

  it("deletes what is absent without an error", async () => {
    await remove("never there");
    await harness.store.commit({ delete: [1, 2].map(() => ({ partition: P, key: "never there" })) });
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
        expect: [hasVersion("counter", now!.version)],
        put: [{ partition: P, key: "counter", value: String(Number(now!.value) + 1) }],
      };
      try {
        await harness.store.commit(next);
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
        harness.store.commit({
          expect: [hasVersion("name", undefined)],
          put: [{ partition: P, key: "name", value: String(index) }],
        }),
      ),
    );
    const winners = outcomes.flatMap(({ status }, index) => (status === "fulfilled" ? [String(index)] : []));
    expect(winners).toEqual([await value("name")]);
  });
}
