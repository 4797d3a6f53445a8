import { describe, expect, it } from "vitest";
import { firstHeaders } from "../../../src/api/ext-authz/header-map.ts";
import { encoded } from "./envoy-client.ts";

const headers = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    key: `x-${index}`,
    raw_value: Buffer.from("v".repeat((index * 37) % 20_000)),
  }));
const map = (count: number) => encoded({ headers: headers(count) });

describe("a message of headers", () => {
  it.each([1, 2, 9, 10, 11, 300])("of %i is cut behind the tenth", (count) => {
    expect(Buffer.from(firstHeaders(map(count), 10) ?? [])).toEqual(map(Math.min(10, count)));
  });

  it("of half a million empty ones is cut, too", () => {
    const empty = Buffer.alloc(1_000_000).map((_, index) => (index % 2 === 0 ? 0x0a : 0));
    expect(firstHeaders(empty, 501)).toHaveLength(1_002);
  });

  it.each<[string, readonly number[]]>([
    ["another field", [0x12, 1, 0]],
    ["a header that is cut off", [0x0a, 5, 1, 2]],
    ["no length", [0x0a]],
    ["a length without an end", [0x0a, 0x80, 0x80]],
    ["a length of more than four bytes", [0x0a, 0x80, 0x80, 0x80, 0x80, 1]],
  ])("with %s is none", (_, bytes) => {
    expect(firstHeaders(Uint8Array.from([0x0a, 1, 0, ...bytes]), 10)).toBeUndefined();
  });
});
