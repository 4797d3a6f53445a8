import { expect, it } from "vitest";
import { PieceDigests } from "../../src/datasets/piece-digests.ts";

const piece = (number: number) =>
  ({ section: "users", start: number, entries: [{}], text: `the users of piece ${number}` }) as const;

function digestsOf(pieces: number): PieceDigests {
  const digests = new PieceDigests("a key");
  for (let number = 0; number < pieces; number++) digests.add(piece(number));
  return digests;
}

it("has the digests of ten million users, in a record of a megabyte", () => {
  const digests = digestsOf(40_000);
  expect(JSON.stringify(digests.stored).length).toBeLessThan(1.01 * 1e6);
  const { users, others } = digests.stored!;
  expect([new Set(users).size, others]).toEqual([40_000, []]);
  expect(digests.ofUsers(39_999)).toBe(digests.of(piece(39_999)));
});

it("has none where the pieces are more: what is not known to be in force is compared", () => {
  expect(digestsOf(40_001).stored).toBeUndefined();
});
