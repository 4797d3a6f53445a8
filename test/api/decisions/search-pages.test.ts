import { expect, it } from "vitest";
import { PageTokens } from "../../../src/api/decisions/search/page-tokens.ts";
import { RequestedPage } from "../../../src/api/decisions/search/search-pages.ts";

const tokens = new PageTokens();
const request = "the request";

it("a page has 100 results at first, and at most 1,000 whatever is asked for", () => {
  expect(new RequestedPage(tokens, {}, request).page).toEqual({ limit: 100 });
  expect(new RequestedPage(tokens, { limit: 7 }, request).page).toEqual({ limit: 7 });
  const first = new RequestedPage(tokens, { limit: 5_000 }, request);
  expect(first.page).toEqual({ limit: 1_000 });
  const token = first.answer({ results: ["a"], next: "a" }).next_token;
  // The token carries what was asked for, so that the same request goes on.
  for (const asked of [{ token }, { token, limit: 5_000 }]) {
    expect(new RequestedPage(tokens, asked, request).page).toEqual({ limit: 1_000, after: "a" });
  }
  expect(() => new RequestedPage(tokens, { token, limit: 1_000 }, request)).toThrow();
});

it("an answer tells the total where it is known", () => {
  const first = new RequestedPage(tokens, { limit: 2 }, request);
  expect(first.answer({ results: ["a"] })).toEqual({ next_token: "", count: 1, total: 1 });
  expect(first.answer({ results: ["a", "b"], next: "b", total: 9 })).toMatchObject({ count: 2, total: 9 });
  const { next_token: token } = first.answer({ results: ["a", "b"], next: "b" });
  const second = new RequestedPage(tokens, { token }, request);
  expect(second.answer({ results: ["c"] })).toEqual({ next_token: "", count: 1 });
});
