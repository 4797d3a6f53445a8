import { setImmediate as turn } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Pace } from "../../src/schedule/pace.ts";
import { Scheduler } from "../../src/schedule/scheduler.ts";

let clock = 0;
afterEach(() => vi.restoreAllMocks());

function paces(count: number, signal?: AbortSignal): Pace[] {
  clock = 0;
  vi.spyOn(performance, "now").mockImplementation(() => clock);
  const scheduler = new Scheduler();
  return Array.from({ length: count }, () => new Pace(signal, scheduler));
}

describe("the pace of a search", () => {
  it("waits for a turn at the beginning, and again when the turn is over", async () => {
    const [pace] = paces(1) as [Pace];
    const first = pace.pause();
    expect(first).toBeInstanceOf(Promise);
    await first;
    clock += 3;
    expect(pace.pause()).toBeUndefined();
    clock += 1;
    expect(pace.pause()).toBeInstanceOf(Promise);
  });

  it("ends at the next turn when nobody waits for it any more", async () => {
    const gone = new AbortController();
    const [pace] = paces(1, gone.signal) as [Pace];
    await pace.pause();
    clock += 100;
    const next = pace.pause();
    gone.abort(new Error("gone"));
    await expect(next).rejects.toThrow("gone");
  });

  it("gives a turn of the event loop to one search at a time", async () => {
    const running: number[] = [];
    const all = paces(3).map(async (pace, index) => {
      for (let round = 0; round < 2; round++) {
        clock += 100;
        await pace.pause();
        running.push(index);
      }
    });
    for (let turns = 1; turns <= 6; turns++) {
      await turn();
      expect(running.length).toBeLessThanOrEqual(turns);
    }
    await Promise.all(all);
    expect(running).toEqual([0, 1, 2, 0, 1, 2]);
  });
});
