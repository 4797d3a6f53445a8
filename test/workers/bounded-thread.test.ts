/** A job may take so much CPU time, however long it waits for the CPU. */

import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { afterEach, expect, it } from "vitest";
import { BoundedThread, GIVEN_UP } from "../../src/threads/bounded-thread.ts";

const thread = new BoundedThread<number, string>({
  name: "burning",
  file: new URL("./burning-worker", import.meta.url),
  data: undefined,
  memoryMb: 64,
  busy: "busy",
});
const others: Worker[] = [];
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
