/** Bodies of entries: what was encoded is decoded, of large bodies as it is taken. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { decodeBody, encodeBody } from "../../src/store/log-entry.ts";

const record = fc.record({ partition: fc.string(), key: fc.string(), value: fc.string({ unit: "binary" }) });
const name = fc.record({ partition: fc.string(), key: fc.string() });
const change = fc.option(fc.constant({ all: true }), { nil: undefined });

it("decodes what was encoded, small and large, as often as it is taken", async () => {
  const property = fc.asyncProperty(
    fc.array(record, { maxLength: 20 }),
    fc.array(name, { maxLength: 20 }),
    change,
    fc.constantFrom(0, 70_000),
    async (put, deleted, changed, padding) => {
      const puts = put.map((one, at) =>
        at === 0 ? { ...one, value: one.value + "x".repeat(padding) } : one,
      );
      const given = { put: puts, delete: deleted, ...(changed && { change: changed }) };
      const { bytes } = await encodeBody(given);
      const decoded = await decodeBody(bytes);
      for (let times = 0; times < 2; times += 1) {
        expect([...decoded.put]).toEqual(puts.map((one) => ({ ...one, value: one.value })));
        expect([...decoded.delete]).toEqual(deleted);
      }
      expect([decoded.put.length, decoded.delete.length]).toEqual([puts.length, deleted.length]);
      expect(decoded.change).toEqual(changed);
    },
  );
  await fc.assert(property, { numRuns: 300 });
});

it("holds no record of a large body before it is taken", async () => {
  const put = Array.from({ length: 20_000 }, (_, at) => ({ partition: "p", key: `k${at}`, value: "v" }));
  const { put: decoded } = await decodeBody((await encodeBody({ put, delete: [] })).bytes);
  expect(Array.isArray(decoded)).toBe(false);
  expect(decoded).toHaveLength(put.length);
  const [first] = decoded;
  const [again] = decoded;
  expect(first).toEqual(put[0]);
  expect(again).not.toBe(first);
});

it("decodes a body that puts and removes in any order, as staged ones do", async () => {
  for (const amount of [1, 2_000]) {
    const puts = Array.from({ length: amount }, (_, at) => ["p", `k${at}`, "v".repeat(100)]);
    const lines = [{}, ...puts, ["p", "gone"], ...puts, ["p", "gone, too"]];
    const body = await decodeBody(Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join("")));
    expect([...body.put].map(({ partition, key, value }) => [partition, key, value])).toEqual([
      ...puts,
      ...puts,
    ]);
    expect([...body.delete].map(({ key }) => key)).toEqual(["gone", "gone, too"]);
    expect([body.put.length, body.delete.length]).toEqual([2 * amount, 2]);
  }
});
