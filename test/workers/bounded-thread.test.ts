/** A job may take so much CPU time, however long it waits for the CPU, and ends with who waits for it. */

import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, it } from "vitest";
import { BoundedThread, GIVEN_UP } from "../../src/threads/bounded-thread.ts";

let thread: BoundedThread<number, string>;
const others: Worker[] = [];
beforeEach(() => {
  thread = new BoundedThread({
    name: "burning",
    file: new URL("./burning-worker", import.meta.url),
    data: undefined,
    memoryMb: 64,
    busy: "busy",
  });
});
afterEach(async () => {
  await Promise.all(others.splice(0).map((one) => one.terminate()));
  await thread.close();
});

it("does what takes less than its patience on a machine where others take the CPU, and gives up what takes more", async () => {
  expect(await thread.run("somebody", 1, 10_000)).toBe("done");
  // Each processor has four threads besides: the job passes three times the time that it takes, or more.
  for (let count = 0; count < 4 * availableParallelism(); count++)
    others.push(new Worker("for (;;);", { eval: true }));
  const began = performance.now();
  expect(await thread.run("somebody", 300, 500)).toBe("done");
  expect(performance.now() - began).toBeGreaterThan(300);
  expect(await thread.run("somebody", 60_000, 300)).toBe(GIVEN_UP);
});

it("ends a job whose caller is gone, and leaves out those of the caller that wait", async () => {
  const [running, waiting] = [new AbortController(), new AbortController()];
  const first = thread.run("somebody", 60_000, 50_000, running.signal);
  const second = thread.run("somebody", 60_000, 50_000, waiting.signal);
  const third = thread.run("another", 1, 10_000);
  waiting.abort("gone");
  await expect(second).rejects.toBe("gone");
  running.abort("gone, too");
  await expect(first).rejects.toBe("gone, too");
  expect(await third).toBe("done");
  await expect(thread.run("somebody", 1, 10_000, running.signal)).rejects.toBe("gone, too");
  expect(await thread.run("somebody", 1, 10_000)).toBe("done");
});

it("has half of its places for other callers", async () => {
  const gone = new AbortController();
  const mine = Array.from({ length: 40 }, () => thread.run("somebody", 60_000, 50_000, gone.signal));
  const ends = Promise.allSettled(mine);
  // One of them runs, 32 wait.
  await expect(mine[33]).rejects.toMatchObject({ code: "unavailable" });
  const other = thread.run("another", 1, 10_000);
  gone.abort("gone");
  expect(await other).toBe("done");
  expect((await ends).filter(({ status }) => status === "rejected").length).toBe(40);
});
