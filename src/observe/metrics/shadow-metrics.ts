/** The metrics of a shadow candidate; none of them if no candidate is configured. */

import type { ShadowCounters } from "../../decisions/shadow/shadow.ts";
import { by, metricsNamed, type ScrapedMetric } from "./metric.ts";

const { counter, gauge } = metricsNamed("svc_authorizer_shadow_");

/** The metrics of a shadow. */
export function shadowMetrics(counters: ShadowCounters | undefined): ScrapedMetric[] {
  return [
    counter(
      "decisions_total",
      "Decisions that were made again under the shadow candidate.",
      () => counters?.decisions,
    ),
    counter(
      "differences_total",
      "Decisions that the shadow candidate would change, by its effect.",
      by("effect", () => counters?.differences),
    ),
    counter(
      "dropped_total",
      "Decisions that were to be made again, and were not because too many waited.",
      () => counters?.dropped,
    ),
    counter("failed_total", "Decisions that could not be made again.", () => counters?.failed),
    gauge(
      "candidate_success",
      "1 if a shadow candidate is loaded.",
      () => counters && Number(counters.loaded),
    ),
  ];
}
