import { expect, it } from "vitest";
import { scheduler } from "../../src/schedule/scheduler.ts";
import { ShortWork } from "../../src/schedule/short-work.ts";
import { EventLoopTurns, takeATurn } from "../event-loop-turns.ts";

it("does pieces in order, none after a turn is over, and what fails alone", async () => {
  const work = new ShortWork();
  const turns = new EventLoopTurns();
  const seen: (readonly [piece: number, turn: number])[] = [];
  const pieces = Array.from({ length: 8 }, (_, piece) =>
    work.run(() => {
      seen.push([piece, turns.turn]);
      if (piece === 3) throw new Error("only this one");
      takeATurn();
      return piece;
    }),
  );
  const settled = await Promise.allSettled(pieces);
  turns.stop();
  expect(settled.map((one) => (one.status === "fulfilled" ? one.value : one.reason.message))).toEqual([
    0,
    1,
    2,
    "only this one",
    4,
    5,
    6,
    7,
  ]);
  expect(seen.map(([piece]) => piece)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  // The one that failed took no time, and the next shared its turn.
  expect(new Set(seen.map(([, turn]) => turn)).size).toBe(7);
  expect(await work.run(() => "again")).toBe("again");
});

it("lets other long work in between two of its turns, however many pieces wait", async () => {
  const work = new ShortWork();
  let done = 0;
  const pieces = Array.from({ length: 20 }, () =>
    work.run(() => {
      done++;
      takeATurn();
    }),
  );
  await scheduler.run(
    (function* () {
      for (let step = 0; step < 3; step++) {
        takeATurn();
        yield;
      }
    })(),
  );
  expect(done).toBeLessThan(10);
  await Promise.all(pieces);
  expect(done).toBe(20);
});
