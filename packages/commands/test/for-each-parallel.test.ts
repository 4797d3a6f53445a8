import { forEachParallel } from "@svc-authorizer/commands/for-each-parallel.ts";
import { describe, expect, it } from "vitest";

describe("work on several items at once", () => {
  it("never has more under way than it may, and does them all", async () => {
    let [running, most, done] = [0, 0, 0];
    const items = Array.from({ length: 50 }, (_, index) => index);
    await forEachParallel(items, 7, async (item) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, item % 3));
      running -= 1;
      done += 1;
    });
    expect({ most, done, running }).toEqual({ most: 7, done: 50, running: 0 });
  });

  it("ends with the first failure, which the others are told", async () => {
    let told = 0;
    const work = forEachParallel([1, 2, 3, 4], 2, async (item, signal) => {
      if (item === 2) throw new Error("two");
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      told += 1;
    });
    await expect(work).rejects.toThrow("two");
    expect(told).toBe(1);
  });
});
