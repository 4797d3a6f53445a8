import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { Pace } from "../../src/schedule/pace.ts";
import { Turns } from "../../src/schedule/turns.ts";
import { EventLoopTurns, takeATurn } from "../event-loop-turns.ts";

/** The largest number of pieces in one turn of the event loop. */
async function mostInATurn(work: (piece: () => void) => Promise<unknown>): Promise<number> {
  const loop = new EventLoopTurns();
  const pieces = new Map<number, number>();
  await work(() => {
    takeATurn(0.5);
    pieces.set(loop.turn, (pieces.get(loop.turn) ?? 0) + 1);
  });
  loop.stop();
  return Math.max(...pieces.values());
}

it("lets others in between many short pieces that each begin a turn of their own", async () => {
  const most = await mostInATurn(async (piece) => {
    for (let done = 0; done < 20; done++) {
      const turns = new Turns();
      piece();
      if (turns.spent) await turns.yield();
    }
  });
  expect(most).toBeLessThanOrEqual(2);
});

it("lets others in between callers who all begin at once", async () => {
  const most = await mostInATurn((piece) =>
    Promise.all(
      Array.from({ length: 10 }, async () => {
        const turns = new Turns();
        for (let done = 0; done < 3; done++) {
          if (turns.spent) await turns.yield();
          piece();
        }
      }),
    ),
  );
  expect(most).toBeLessThanOrEqual(2);
});

it("counts what long work did in its turn before it called others", async () => {
  const { pause } = new Pace();
  await pause();
  takeATurn();
  expect(new Turns().spent).toBe(true);
});

it("begins anew with each turn of the event loop", async () => {
  const turns = new Turns();
  takeATurn();
  expect(turns.spent).toBe(true);
  // A pause of the machine may fall between the two lines.
  await expect
    .poll(async () => {
      await nextTurn();
      return new Turns().spent;
    })
    .toBe(false);
});
