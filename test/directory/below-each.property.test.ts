import { compareUtf8 } from "@svc-authorizer/policy/model/utf8-order.ts";
import fc from "fast-check";
import { expect, it } from "vitest";
import { scanBelowEach } from "../../src/directory/read/below-each.ts";
import type { ScanOptions } from "../../src/store/port.ts";
import { sized } from "../proofs/size.ts";

/** Ids that begin alike, and with characters on both sides of the separator. */
const id = fc.oneof(
  fc.constantFrom("a", "a-", "a0", "b", "ab", "é", "\uff21", "😀"),
  fc.string({ unit: fc.constantFrom("a", "-", "0", "é"), minLength: 1, maxLength: 3 }),
);
const name = fc.string({ unit: fc.constantFrom("x", "/", "-", "日", "😀"), minLength: 1, maxLength: 3 });
const holder = fc.record({ id, names: fc.uniqueArray(name, { maxLength: 40 }) });

it("reads below each id what a look at every record finds", async () => {
  const property = fc.asyncProperty(
    fc.array(holder, { maxLength: 40 }),
    fc.uniqueArray(id, { maxLength: 30 }),
    async (holders, ids) => {
      const keys = [...new Set(holders.flatMap((one) => one.names.map((of) => `${one.id}/${of}`)))];
      keys.sort(compareUtf8);
      const scan = async ({
        after = "",
        limit,
      }: ScanOptions): Promise<readonly { readonly key: string }[]> => {
        const behind = keys.filter((key) => compareUtf8(key, after) > 0);
        return behind.slice(0, limit).map((key) => ({ key }));
      };
      const found = await scanBelowEach(scan, ids);
      expect(found.map((list) => list.map(({ key }) => key))).toEqual(
        ids.map((one) => keys.filter((key) => key.startsWith(`${one}/`))),
      );
    },
  );
  await fc.assert(property, { numRuns: sized(500, 20_000) });
});

it("reads neighbours in few pages, and one page for each that stands alone", async () => {
  const pages = async (ids: readonly string[], others: number): Promise<number> => {
    const all = ids.flatMap((one) => [
      `${one}/p`,
      ...Array.from({ length: others }, (_, index) => `${one}-${String(index).padStart(3, "0")}/p`),
    ]);
    all.sort(compareUtf8);
    let amount = 0;
    await scanBelowEach(async ({ after = "", limit }) => {
      amount++;
      const from = all.findIndex((key) => compareUtf8(key, after) > 0);
      return from < 0 ? [] : all.slice(from, from + limit).map((key) => ({ key }));
    }, ids);
    return amount;
  };
  const ids = Array.from({ length: 200 }, (_, index) => `id${String(index).padStart(4, "0")}`);
  expect(await pages(ids, 0)).toBeLessThan(10);
  expect(await pages(ids, 50)).toBeLessThanOrEqual(200);
});
