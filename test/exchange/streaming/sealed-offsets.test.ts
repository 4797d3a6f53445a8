/** Offsets of filtered lists that would name a hidden repository (spec/exchange §7). */

import { describe, expect, it } from "vitest";
import { PageTokens, requestText } from "../../../src/api/decisions/search/page-tokens.ts";
import { type ListParts, listRepositories } from "../../../src/api/streaming/filtered-lists.ts";

const PER_PAGE = 1_000;
const ALL = 52_000;
const nameOf = (index: number): string => `secret-${String(index).padStart(6, "0")}`;
const tokens = new PageTokens();

/** A data server with many repositories, of which a user may list the last. */
function partsOf(user: string, asked: string[] = []): ListParts {
  const ofUser = (request: string): string => requestText("/", request, user);
  return {
    ask: async (target) => {
      const query = new URLSearchParams(target.split("?")[1]);
      const after = query.get("after") ?? "";
      asked.push(after);
      const start = after === "" ? 0 : Number(after.slice(-6)) + 1;
      const end = Math.min(ALL, start + PER_PAGE);
      const results = Array.from({ length: end - start }, (_, index) => ({ id: nameOf(start + index) }));
      const pagination = { has_more: end < ALL, next_offset: end < ALL ? nameOf(end - 1) : "" };
      return {
        status: 200,
        headers: [],
        type: "application/json",
        body: JSON.stringify({ pagination, results }),
      };
    },
    filter: async (ids) => (ids.at(-1) === nameOf(ALL - 1) ? [ids.length - 1] : []),
    progress: () => undefined,
    seal: (after, request) => tokens.seal({ limit: 0, after }, ofUser(request)),
    open: (sealed, request) => tokens.open(sealed, ofUser(request))?.after,
  };
}

async function pageOf(parts: ListParts, query: string) {
  const { body } = await listRepositories(parts, query);
  return JSON.parse(String(body));
}

describe("a list of which nothing was found in 50 pages", () => {
  it("goes on where it ended, and names no hidden repository", async () => {
    const asked: string[] = [];
    const parts = partsOf("alice", asked);
    const { pagination, results } = await pageOf(parts, "prefix=s");
    expect(results).toEqual([]);
    expect(pagination.has_more).toBe(true);
    expect(pagination.next_offset).toMatch(/^~[\w-]+$/);
    expect(pagination.next_offset).not.toContain("secret");
    const rest = await pageOf(parts, `prefix=s&after=${encodeURIComponent(pagination.next_offset)}`);
    expect(asked).toContain(nameOf(50 * PER_PAGE - 1));
    expect(rest.results).toEqual([{ id: nameOf(ALL - 1) }]);
    expect(rest.pagination).toMatchObject({ has_more: false, next_offset: "" });
  });

  it("has an offset for its user and its query alone", async () => {
    const { pagination } = await pageOf(partsOf("alice"), "prefix=s");
    const after = `after=${encodeURIComponent(pagination.next_offset)}`;
    for (const [user, query] of [
      ["bob", `prefix=s&${after}`],
      ["alice", `prefix=sec&${after}`],
      ["alice", "prefix=s&after=~x"],
    ] as const)
      await expect(listRepositories(partsOf(user), query)).rejects.toThrow("no offset of this list");
  });
});
