import { expect, it } from "vitest";
import { addsLastUse } from "../../../src/api/management/last-used.ts";
import { Query } from "../../../src/http/request/query.ts";

it("says of no use since when it is known, which is now where other nodes are not heard", async () => {
  const answer = async (doubts: readonly string[]) => {
    const usage = { of: async () => new Map(), countedSince: () => 5_000_000, doubts: () => doubts };
    const adds = addsLastUse(new Query("last_used=true"), usage, "user", "id");
    const [found] = (await adds?.([{ id: "alice", creation_date: 1 }])) ?? [];
    return found as { readonly uses: number; readonly uses_since: number };
  };
  expect(await answer([])).toMatchObject({ uses: 0, uses_since: 5_000 });
  const before = Math.floor(Date.now() / 1_000);
  expect((await answer(["other nodes are not heard"])).uses_since).toBeGreaterThanOrEqual(before);
});
