/**
 * The decision routes of the service listener with what each needs (decision-api.md §2, decision-api.md §3;
 * security.md §1.2).
 */

import type { Decisions } from "../../decisions/decisions.ts";
import type { BodyRoute, Edge } from "../../http/exchange.ts";
import { checkHandler } from "./check.ts";
import { evaluationHandler } from "./evaluation.ts";
import { evaluationsHandler } from "./evaluations.ts";
import { filterHandler } from "./filter.ts";
import { filterStreamHandler } from "./filter-stream.ts";
import { parseRequestBody, requestHandler } from "./request.ts";
import { simulateHandler } from "./simulate.ts";

/**
 * Builds the routes. Handlers ask for scope `read` themselves where a request goes beyond deciding.
 * @param s3Domains host names of the S3 gateway (`gateways.s3.domain_name`)
 */
export function accessRoutes(
  decisions: Decisions,
  edge: Edge,
  s3Domains: readonly string[],
): readonly BodyRoute[] {
  const { limits } = edge;
  const { decisionSeconds } = edge.counters;
  const hot = { scope: "decide", priority: "hot", maxBytes: limits.bodyBytes } as const;
  const bulk = { scope: "decide", priority: "bulk", maxBytes: limits.bulkBodyBytes } as const;
  return [
    {
      path: "/access/v1/evaluation",
      answer: evaluationHandler(decisions, limits),
      decisionSeconds: decisionSeconds.evaluation,
      ...hot,
    },
    {
      path: "/access/v1/evaluations",
      answer: evaluationsHandler(decisions, limits),
      decisionSeconds: decisionSeconds.evaluations,
      ...hot,
    },
    {
      path: "/access/v1/check",
      answer: checkHandler(decisions, limits),
      decisionSeconds: decisionSeconds.check,
      ...hot,
    },
    {
      path: "/access/v1/request",
      parse: parseRequestBody,
      answer: requestHandler(decisions, limits, s3Domains),
      decisionSeconds: decisionSeconds.request,
      ...hot,
    },
    {
      path: "/access/v1/filter",
      answer: filterHandler(decisions, limits),
      stream: filterStreamHandler(decisions, edge),
      decisionSeconds: decisionSeconds.filter,
      ...bulk,
    },
    {
      path: "/access/v1/simulate",
      answer: simulateHandler(decisions, limits),
      decisionSeconds: decisionSeconds.simulate,
      ...bulk,
    },
  ].map((route) => ({ ...route, meter: edge.counters.route("POST", route.path) }));
}
