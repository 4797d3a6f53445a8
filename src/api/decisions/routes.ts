/** The routes of the decision API with what each needs (decision-api.md §2, decision-api.md §3, security.md §1.2). */

import type { Decisions } from "../../decisions/decisions.ts";
import type { ActionSearch, ResourceSearch, SubjectSearch } from "../../decisions/searches.ts";
import type { Admission } from "../../http/admission.ts";
import type { HttpCounters, HttpLog } from "../../http/ports.ts";
import type { Route } from "../../http/route.ts";
import { requireScope, type Scope, type ServiceCall, type ServiceCaller } from "../service-caller.ts";
import { checkHandler } from "./check.ts";
import { evaluationHandler } from "./evaluation.ts";
import { evaluationsHandler } from "./evaluations.ts";
import { filterHandler } from "./filter.ts";
import { filterStreamHandler } from "./filter-stream.ts";
import type { DecisionLimits } from "./limits.ts";
import type { PageTokens } from "./page-tokens.ts";
import { planHandler } from "./plan.ts";
import type { DecisionMeters } from "./ports.ts";
import { parseRequestBody, requestHandler } from "./request.ts";
import { searchHandler } from "./search.ts";
import { simulateHandler } from "./simulate.ts";
import { whatCanHandler } from "./what-can.ts";
import { whoCanHandler } from "./who-can.ts";

/** What the API is made of. */
export interface DecisionApiOptions {
  readonly decisions: Decisions;
  readonly limits: DecisionLimits;
  readonly counters: HttpCounters & DecisionMeters;
  readonly admission: Admission;
  readonly log: HttpLog;
  readonly tokens: PageTokens;
  /** Host names of the S3 gateway (`gateways.s3.domain_name`). */
  readonly s3Domains: readonly string[];
}

type DecisionRoute = Route<ServiceCaller>;

/** What a route has beside the form that it comes in. */
type Particulars = Pick<DecisionRoute, "handle" | "seconds"> & Partial<Pick<DecisionRoute, "body">>;

/** The routes. Handlers ask for scope `read` themselves where a request goes beyond deciding. */
export function decisionRoutes(options: DecisionApiOptions): readonly DecisionRoute[] {
  return [...hotRoutes(options), ...bulkRoutes(options), ...searchRoutes(options)];
}

function post(path: string, scope: Scope, maxBytes: number, particulars: Particulars): DecisionRoute {
  return {
    method: "POST",
    path: `/access/v1/${path}`,
    authorize: ({ caller }: ServiceCall) => requireScope(caller, scope),
    ...particulars,
    body: { maxBytes, ...particulars.body },
  };
}

function hotRoutes({ decisions, limits, counters, s3Domains }: DecisionApiOptions): readonly DecisionRoute[] {
  const { decisionSeconds: seconds } = counters;
  const hot = (path: string, particulars: Particulars): DecisionRoute => ({
    ...post(path, "decide", limits.bodyBytes, particulars),
    priority: "hot",
  });
  return [
    hot("evaluation", { handle: evaluationHandler(decisions, limits), seconds: seconds.evaluation }),
    hot("evaluations", { handle: evaluationsHandler(decisions, limits), seconds: seconds.evaluations }),
    hot("check", { handle: checkHandler(decisions, limits), seconds: seconds.check }),
    hot("request", {
      handle: requestHandler(decisions, limits, s3Domains),
      seconds: seconds.request,
      body: { maxBytes: limits.bodyBytes, parse: parseRequestBody },
    }),
  ];
}

function bulkRoutes(options: DecisionApiOptions): readonly DecisionRoute[] {
  const { decisions, limits, counters } = options;
  const { decisionSeconds: seconds } = counters;
  const maxBytes = limits.bulkBodyBytes;
  const bulk = { priority: "bulk", heavy: true } as const;
  const filter = {
    handle: filterHandler(decisions, limits),
    seconds: seconds.filter,
    body: { maxBytes, stream: filterStreamHandler(options) },
  };
  const simulate = { handle: simulateHandler(decisions, limits), seconds: seconds.simulate };
  return [
    { ...post("filter", "decide", maxBytes, filter), ...bulk },
    { ...post("simulate", "decide", maxBytes, simulate), ...bulk },
  ];
}

function searchRoutes({ decisions, limits, counters, tokens }: DecisionApiOptions): readonly DecisionRoute[] {
  const { decisionSeconds: seconds } = counters;
  const { searches } = decisions;
  const serving = { tokens, limits };
  const bulk = (path: string, scope: Scope, particulars: Particulars): DecisionRoute => ({
    ...post(path, scope, limits.bodyBytes, particulars),
    priority: "bulk",
    heavy: true,
  });
  const search = (kind: string, handle: DecisionRoute["handle"]): DecisionRoute =>
    bulk(`search/${kind}`, "search", { handle, seconds: seconds.search });
  return [
    search(
      "subject",
      searchHandler<SubjectSearch>("subject", (asked, signal) => searches.subjects(asked, signal), serving),
    ),
    search(
      "resource",
      searchHandler<ResourceSearch>(
        "resource",
        (asked, signal) => searches.resources(asked, signal),
        serving,
      ),
    ),
    search(
      "action",
      searchHandler<ActionSearch>("action", (asked, signal) => searches.actions(asked, signal), serving),
    ),
    bulk("plan", "read", { handle: planHandler(decisions, limits), seconds: seconds.plan }),
    bulk("who-can", "read", { handle: whoCanHandler(decisions, serving), seconds: seconds.who_can }),
    bulk("what-can", "read", { handle: whatCanHandler(decisions, serving), seconds: seconds.what_can }),
  ];
}
