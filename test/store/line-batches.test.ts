import { expect, it } from "vitest";
import { linesInBatches } from "../../src/store/line-batches.ts";

async function* piecesOf(...texts: readonly string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}

const batches = (most: number, ...texts: readonly string[]) =>
  Array.fromAsync(linesInBatches(piecesOf(...texts), most));

it("gives lines that begin in one piece and end in another whole", async () => {
  expect((await batches(2, "a\nb", "b\nc\nd\n", "e", "e", "e")).flat()).toEqual(["a", "bb", "c", "d", "eee"]);
  expect(await batches(2)).toEqual([]);
});

it("gives at most so many lines at once, and none of an earlier piece beside those of a later one", async () => {
  expect(await batches(2, "a\nb\nc\nd", "\ne\n")).toEqual([["a", "b"], ["c"], ["d", "e"]]);
});
