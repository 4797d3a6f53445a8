/** The metrics of a shadow candidate; none of them if no candidate is configured. */

import type { ShadowCounters } from "../../decisions/shadow/shadow.ts";
import { labelled, type ScrapedMetric, single } from "./scraped-metric.ts";

const PREFIX = "svc_authorizer_shadow_";

/** The metrics of a shadow. */
export function shadowMetrics(counters: ShadowCounters | undefined): ScrapedMetric[] {
  return [
    single(
      "counter",
      `${PREFIX}decisions_total`,
      "Decisions that were made again under the shadow candidate.",
      () => counters?.decisions,
    ),
    labelled(
      "counter",
      `${PREFIX}differences_total`,
      "Decisions that the shadow candidate would change, by its effect.",
      ["effect"],
      () =>
        counters === undefined
          ? []
          : Object.entries(counters.differences).map(([effect, count]) => [{ effect }, count] as const),
    ),
    single(
      "counter",
      `${PREFIX}dropped_total`,
      "Decisions that were to be made again, and were not because too many waited.",
      () => counters?.dropped,
    ),
    single(
      "counter",
      `${PREFIX}failed_total`,
      "Decisions that could not be made again.",
      () => counters?.failed,
    ),
    single("gauge", `${PREFIX}candidate_success`, "1 if a shadow candidate is loaded.", () =>
      counters === undefined ? undefined : Number(counters.loaded),
    ),
  ];
}
