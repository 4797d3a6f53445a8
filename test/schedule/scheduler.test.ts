import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Scheduler, WorkBudget } from "../../src/schedule/scheduler.ts";
import { WorkQueue } from "../../src/schedule/work-queue.ts";

function* steps(count: number, units: number, ended: () => void = () => {}): Generator<number, string> {
  try {
    for (let index = 0; index < count; index++) yield units;
    return "done";
  } finally {
    ended();
  }
}

describe("the scheduler", () => {
  it("runs work to its end and gives its result", async () => {
    expect(await new Scheduler().run(steps(10, 1))).toBe("done");
  });

  it("ends work above its budget with the refusal, and lets it give back what it holds", async () => {
    let ended = false;
    const budget = new WorkBudget(95, () => new Error("too much"));
    const scheduler = new Scheduler();
    await scheduler.run(steps(5, 10), { budget });
    const more = scheduler.run(
      steps(5, 10, () => {
        ended = true;
      }),
      { budget },
    );
    await expect(more).rejects.toThrow("too much");
    expect(ended).toBe(true);
  });

  it("ends work that nobody waits for any more", async () => {
    const gone = new AbortController();
    const work = new Scheduler().run(steps(1_000_000, 1), { signal: gone.signal });
    gone.abort(new Error("gone"));
    await expect(work).rejects.toThrow("gone");
  });

  it("ends work on a budget whose caller is gone", async () => {
    const gone = new AbortController();
    const budget = new WorkBudget(1e9, () => new Error("too much"), gone.signal);
    const work = new Scheduler().run(steps(1_000_000, 1), { budget });
    gone.abort(new Error("gone"));
    await expect(work).rejects.toThrow("gone");
    expect(() => budget.spend(1)).toThrow("gone");
  });

  it("lets other work run while long work is under way", async () => {
    let isDone = false;
    let turns = 0;
    // Ends when others have had their turns, or never.
    const long = (function* (): Generator<number, void> {
      while (turns <= 3) yield 1;
    })();
    const running = new Scheduler().run(long).then(() => {
      isDone = true;
    });
    while (!isDone) {
      await turn();
      turns++;
    }
    await running;
    expect(turns).toBeGreaterThan(3);
  });
});

describe("the queue of work", () => {
  it("runs a few tasks at once, in the order in which they came, also after one failed", async () => {
    const queue = new WorkQueue(2);
    const began: number[] = [];
    let running = 0;
    let most = 0;
    const tasks = Array.from({ length: 6 }, (_, index) =>
      queue.run(async () => {
        began.push(index);
        most = Math.max(most, ++running);
        await turn();
        running--;
        if (index === 1) throw new Error("failed");
        return index;
      }),
    );
    const settled = await Promise.allSettled(tasks);
    expect(began).toEqual([0, 1, 2, 3, 4, 5]);
    expect(most).toBe(2);
    expect(settled.map(({ status }) => status === "fulfilled")).toEqual([
      true,
      false,
      true,
      true,
      true,
      true,
    ]);
  });
});
