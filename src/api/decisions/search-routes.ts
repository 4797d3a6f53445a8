/**
 * The routes of searches with what each needs (decision-api.md §2, decision-api.md §3; security.md §1.2,
 * security.md §5.3).
 */

import type { Decisions } from "../../decisions/decisions.ts";
import type { ActionSearch, ResourceSearch, SubjectSearch } from "../../decisions/searches.ts";
import type { BodyRoute, Edge } from "../../http/exchange.ts";
import type { PageTokens } from "./page-tokens.ts";
import { planHandler } from "./plan.ts";
import { searchHandler } from "./search.ts";
import { whatCanHandler } from "./what-can.ts";
import { whoCanHandler } from "./who-can.ts";

/** Builds the routes. */
export function searchRoutes(decisions: Decisions, edge: Edge, tokens: PageTokens): readonly BodyRoute[] {
  const { limits } = edge;
  const { decisionSeconds } = edge.counters;
  const { searches } = decisions;
  const serving = { tokens, limits };
  const bulk = { priority: "bulk", maxBytes: limits.bodyBytes } as const;
  const search = { scope: "search", decisionSeconds: decisionSeconds.search, ...bulk } as const;
  const read = { scope: "read", ...bulk } as const;
  return [
    {
      path: "/access/v1/search/subject",
      answer: searchHandler<SubjectSearch>(
        "subject",
        (asked, signal) => searches.subjects(asked, signal),
        serving,
      ),
      ...search,
    },
    {
      path: "/access/v1/search/resource",
      answer: searchHandler<ResourceSearch>(
        "resource",
        (asked, signal) => searches.resources(asked, signal),
        serving,
      ),
      ...search,
    },
    {
      path: "/access/v1/search/action",
      answer: searchHandler<ActionSearch>(
        "action",
        (asked, signal) => searches.actions(asked, signal),
        serving,
      ),
      ...search,
    },
    {
      path: "/access/v1/plan",
      answer: planHandler(decisions, limits),
      decisionSeconds: decisionSeconds.plan,
      ...read,
    },
    {
      path: "/access/v1/who-can",
      answer: whoCanHandler(decisions, serving),
      decisionSeconds: decisionSeconds.who_can,
      ...read,
    },
    {
      path: "/access/v1/what-can",
      answer: whatCanHandler(decisions, serving),
      decisionSeconds: decisionSeconds.what_can,
      ...read,
    },
  ].map((route) => ({ ...route, meter: edge.counters.route("POST", route.path) }));
}
