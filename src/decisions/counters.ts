/** Decision counters as plain numbers. */

import type { Effect } from "@svc-authorizer/policy/model/decision.ts";
import type { DecisionCounters } from "./decisions.ts";
import { ENTRANCES } from "./entrances.ts";

/** New counters, all zero. The owners of cache and sets fill in the sizes. */
export function createCounters(
  sizes: Pick<DecisionCounters, "cacheSize" | "compiledSets">,
): DecisionCounters {
  const zero = (): Record<Effect, number> => ({ allow: 0, neutral: 0, deny: 0 });
  const decisions = Object.fromEntries(ENTRANCES.map((entrance) => [entrance, zero()]));
  return {
    decisions: decisions as DecisionCounters["decisions"],
    cacheHits: 0,
    cacheMisses: 0,
    cacheEvictions: 0,
    portableRewritings: 0,
    ...sizes,
  };
}
