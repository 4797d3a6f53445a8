/** Health, closing and opening again. */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { expect, it } from "vitest";
import { P, type StoreHarness } from "./harness.ts";

/** Declares this part of the contract. */
export function describeClosing(harness: StoreHarness): void {
  const { put, remove, version, keysOf } = harness;
  it("is healthy while it is open", async () => {
    await harness.store.health();
  });

  it("finishes the commits under way and refuses everything afterwards", async () => {
    const snapshot = await harness.store.snapshot();
    const commits = Array.from({ length: 10 }, (_, index) => put(`k${index}`));
    await harness.store.close();
    await Promise.all(commits);
    const calls = [
      harness.store.snapshot(),
      put("a"),
      harness.store.health(),
      snapshot.get(P, "a"),
      snapshot.scan(P, { limit: 1 }),
    ];
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome.status === "rejected" && isErrorCode(outcome.reason, "unavailable")).toBe(true);
    }
    snapshot.release();
    await harness.store.close();
  });

  it("keeps records and never repeats a version over reopening, where it keeps data", async () => {
    if (!harness.canReopen) return;
    const versions: (string | undefined)[] = [];
    for (let round = 0; round < 3; round++) {
      await put("a", String(round));
      versions.push(await version("a"));
      await remove("a");
      await put(`kept${round}`);
      await harness.reopen();
    }
    expect(await keysOf()).toEqual(["kept0", "kept1", "kept2"]);
    expect(new Set(versions).size).toBe(3);
  });
}
