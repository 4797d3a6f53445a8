import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { RememberedLists } from "../../src/directory/read/remembered-lists.ts";
import { ToldCommits } from "../../src/directory/read/told-commits.ts";

const MIB = 1 << 20;
const LISTS = 100;

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
}

/** Remembers lists that nobody has, and gives the number of those that are still known when memory was freed. */
async function knownOf(kept: number, bytes: number): Promise<{ known: () => number; fits: boolean }> {
  const commits = new ToldCommits();
  const lists = new RememberedLists<{ readonly id: string }>({
    commits,
    idsOf: () => ({ holders: [], members: [] }),
    sizeOf: () => bytes,
    kept,
  });
  const state = commits.opened({ revision: 1, base: undefined });
  for (let index = 0; index < LISTS; index++)
    lists.keep(state, { id: `holder-${index}` }, [{ id: `member-${index}` }]);
  const ids = Array.from({ length: LISTS }, (_, index) => `holder-${index}`);
  const known = (): number => {
    collectGarbage();
    return ids.filter((id) => lists.at(state, id) !== undefined).length;
  };
  return { known, fits: lists.fits([{ id: "" }]) };
}

it.each([
  ["few", 20, 1, 20, false],
  ["large", LISTS, MIB, 31, false],
  ["no", LISTS, 33 * MIB, 0, false],
  ["all", LISTS + 1, 1, LISTS, true],
] as const)("keeps %s lists that nobody has in memory", async (_, kept, bytes, expected, fits) => {
  const lists = await knownOf(kept, bytes);
  expect(lists.fits).toBe(fits);
  await expect.poll(lists.known).toBe(expected);
});
