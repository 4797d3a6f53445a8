/**
 * Opens the store in the folder given and commits numbered records until it is killed. Prints `open` when it holds
 * the folder, then the number of each commit once that is acknowledged. A commit puts its number under three keys.
 */

import { writeSync } from "node:fs";
import { openLocalStore } from "../../../src/store/local/local-store.ts";

const [path, first] = process.argv.slice(2);
const WRITERS = 4;

const store = await openLocalStore({ path: path!, syncWrites: true });
writeSync(1, "open\n");
let next = Number(first);

async function write(): Promise<never> {
  for (;;) {
    const number = next++;
    const value = `${number} ${"x".repeat((number * 37) % 5_000)}`;
    const key = String(number).padStart(8, "0");
    await store.commit({
      put: ["left", "middle", "right"].map((partition) => ({ partition, key, value })),
      delete: [{ partition: "left", key: `absent ${number}` }],
    });
    writeSync(1, `${number}\n`);
  }
}

await Promise.all(Array.from({ length: WRITERS }, write));
