import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { deflateSync, inflateSync } from "node:zlib";
import { expect, it } from "vitest";
import { Overflow } from "../../src/compact/overflow.ts";
import { PackedList } from "../../src/compact/packed-list.ts";

const VALUES = 200_000;
const operation = (index: number) => ({ op: "packsuser", user: { username: `user-${1_000_000 + index}` } });

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

class Listening extends Overflow {
  readonly packs: Uint8Array[] = [];

  override put(bytes: Uint8Array): number {
    this.packs.push(bytes.slice());
    return super.put(bytes);
  }
}

it("lets nothing out that can be read, and reads nothing that was not its own", () => {
  const overflow = new Listening();
  const lists = [new PackedList<string>(overflow), new PackedList<string>(overflow)];
  for (let index = 0; index < 160_000; index++) lists[index % 2]!.push("the same secret");
  expect(overflow.packs).toHaveLength(4);
  for (const pack of overflow.packs) expect(() => inflateSync(pack)).toThrow();
  expect(new Set(overflow.packs.map((pack) => Buffer.from(pack).toString("hex"))).size).toBe(4);
  for (const list of lists) expect(new Set(list)).toEqual(new Set(["the same secret"]));
  overflow.get = () => overflow.packs.at(-1)!;
  expect(() => [...lists[0]!]).toThrow();
});
