import { once } from "node:events";
import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { arrivingPieces, MOST_GATHERED } from "../../../src/api/streaming/arriving-pieces.ts";

/** A body to which a test adds pieces. */
const open = (): Readable => new Readable({ read: () => undefined });

async function lengths(body: Readable): Promise<number[][]> {
  const batches: number[][] = [];
  for await (const pieces of arrivingPieces(body)) batches.push(pieces.map(({ length }) => length));
  return batches;
}

it("what comes in one turn is read together, and what comes later by itself", async () => {
  const body = open();
  const read = lengths(body);
  body.push(Buffer.alloc(1));
  body.push(Buffer.alloc(2));
  await setImmediate();
  await setImmediate();
  body.push(Buffer.alloc(3));
  body.push(null);
  expect(await read).toEqual([[1, 2], [3]]);
});

it("a turn that brings more is passed on before it ends", async () => {
  const body = open();
  const batches = arrivingPieces(body);
  const first = batches.next();
  await once(body, "resume");
  let isLater = false;
  const turn = setImmediate().then(() => {
    isLater = true;
  });
  body.push(Buffer.alloc(MOST_GATHERED));
  expect((await first).value).toHaveLength(1);
  expect(isLater).toBe(false);
  await turn;
});

it("a body is paused while its reader is busy and has enough, and read to its end afterwards", async () => {
  let made = 0;
  const piece = MOST_GATHERED / 4;
  const body = new Readable({
    highWaterMark: 1,
    read() {
      this.push(made < 40 ? Buffer.alloc(piece, made++) : null);
    },
  });
  const all: number[] = [];
  for await (const pieces of arrivingPieces(body)) {
    all.push(...pieces.map((one) => one[0] as number));
    const before = made;
    for (let turn = 0; turn < 50; turn++) await setImmediate();
    // What is gathered, and one that the stream has already read.
    expect(made - before).toBeLessThanOrEqual(5);
  }
  expect(all).toEqual(Array.from({ length: 40 }, (_, index) => index));
});

it("a body that is cut, or has ended before it is read, is told", async () => {
  const body = open();
  const read = lengths(body);
  body.push(Buffer.alloc(5));
  await setImmediate();
  body.destroy();
  await expect(read).rejects.toThrow("Premature close");
  await expect(lengths(body)).rejects.toThrow("Premature close");
  const broken = open();
  const reading = lengths(broken);
  broken.destroy(new Error("gone"));
  await expect(reading).rejects.toThrow("gone");
  const empty = open();
  empty.push(null);
  empty.resume();
  await once(empty, "end");
  expect(await lengths(empty)).toEqual([]);
});

it("whoever leaves early finds the rest paused and the body open", async () => {
  const body = open();
  body.push(Buffer.alloc(1));
  for await (const pieces of arrivingPieces(body)) {
    expect(pieces).toHaveLength(1);
    break;
  }
  body.push(Buffer.alloc(2));
  expect([body.isPaused(), body.destroyed, body.listenerCount("data")]).toEqual([true, false, 0]);
  const rest = once(body, "data");
  body.resume();
  expect(((await rest) as [Buffer])[0]).toHaveLength(2);
});
