import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { spent } from "../src/transfer/connection/spent-buffers.ts";

const MIB = 2 ** 20;
const PIECE = 64 * 1024;
/** Half a gigabyte: unasked, the collector lets more than 70 MiB wait. */
const PIECES = 8_000;
const MOST_WAITING = 40 * MIB;

it("pieces that were written do not wait for the collector", async () => {
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  for (let count = 0; count < PIECES; count += 1) {
    const { length } = new Uint8Array(PIECE);
    spent(length);
    if (count % 100 !== 0) continue;
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    await setImmediate();
  }
  expect(most).toBeLessThan(MOST_WAITING);
});
