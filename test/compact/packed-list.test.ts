import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { deflateSync } from "node:zlib";
import { expect, it } from "vitest";
import { PackedList } from "../../src/compact/packed-list.ts";

const VALUES = 200_000;
const operation = (index: number) => ({ op: "put_user", user: { username: `user-${1_000_000 + index}` } });

/** Bytes outside of the heap that somebody holds. */
function heldBytes(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().arrayBuffers;
}

it("has its values in their order, and holds little more than their compressed text", async () => {
  const before = heldBytes();
  const list = new PackedList<unknown>();
  for (let index = 0; index < VALUES; index++) list.push(operation(index));
  const text = JSON.stringify(Array.from({ length: VALUES }, (_, index) => operation(index)));
  const most = 1.5 * deflateSync(text, { level: 1 }).length;
  await expect.poll(() => heldBytes() - before).toBeLessThan(most);
  let index = 0;
  for (const value of list) expect(value).toEqual(operation(index++));
  expect([index, list.length]).toEqual([VALUES, VALUES]);
});
