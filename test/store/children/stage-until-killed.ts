/**
 * Opens the store in the folder given and replaces all that is in it, in pieces, until it is killed: once with 3,000 keys, once
 * with two thirds of them. Prints `open` when it holds the folder, `staged` when all pieces are staged, then the number of the
 * generation once it is in force. With `held` it puts nothing in force, and waits behind `staged`.
 */

import { writeSync } from "node:fs";
import { openLocalStore } from "../../../src/store/local/local-store.ts";

const [path, first, held] = process.argv.slice(2);
const FOR_EVER_MS = 2 ** 31 - 1;
const PIECE = 500;
const keys = Array.from({ length: 3_000 }, (_, index) => `k${String(index).padStart(5, "0")}`);

const store = await openLocalStore({ path: path!, syncWrites: true });
writeSync(1, "open\n");
for (let generation = Number(first); ; generation++) {
  const goes = (index: number): boolean => generation % 2 === 0 && index % 3 === 0;
  const stage = await store.stage!({ change: { all: true } });
  for (let start = 0; start < keys.length; start += PIECE) {
    const piece = keys.slice(start, start + PIECE).map((key, index) => [key, start + index] as const);
    await stage.add({
      put: piece
        .filter(([, index]) => !goes(index))
        .map(([key]) => ({ partition: "staged", key, value: String(generation) })),
      delete: piece.filter(([, index]) => goes(index)).map(([key]) => ({ partition: "staged", key })),
    });
  }
  writeSync(1, "staged\n");
  if (held === "held") await new Promise((resolve) => setTimeout(resolve, FOR_EVER_MS));
  await stage.commit();
  writeSync(1, `${generation}\n`);
}
