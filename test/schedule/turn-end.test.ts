import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Scheduler } from "../../src/schedule/scheduler.ts";
import { TurnEnd, turnEnd } from "../../src/schedule/turn-end.ts";

describe("the end of a turn", () => {
  it("does what waits in order, once, and what that adds, but not before all that is under way", async () => {
    const end = new TurnEnd();
    const done: string[] = [];
    end.add(() => done.push("first"));
    end.add(() => {
      done.push("second");
      end.add(() => done.push("added meanwhile"));
    });
    await Promise.resolve();
    expect(done).toEqual([]);
    await nextTurn();
    expect(done).toEqual(["first", "second", "added meanwhile"]);
    await nextTurn();
    expect(done).toEqual(["first", "second", "added meanwhile"]);
  });

  it("does not let more than 64 tasks wait", () => {
    const end = new TurnEnd();
    let done = 0;
    for (let task = 0; task < 130; task++) end.add(() => done++);
    expect(done).toBe(128);
  });

  it("comes before long work that waits already", async () => {
    const done: string[] = [];
    const scheduler = new Scheduler();
    const work = scheduler.run(
      (function* () {
        yield done.push("work");
      })(),
    );
    turnEnd.add(() => done.push("end of the turn"));
    await work;
    expect(done).toEqual(["end of the turn", "work"]);
  });
});
