/** Decisions that nobody is told of, but for the last one. */

import { Scheduler } from "../../schedule/scheduler.ts";
import type { Decided, DecisionLog } from "../decision-log.ts";
import { type DecisionsOptions, openDecisions } from "../open-decisions.ts";
import type { QuietDecisions } from "./shadow.ts";

/** Long work takes turns this short, in milliseconds. */
const TURN_MS = 0.25;

/** Opens decisions without audit, log and counts of use of the service. */
export async function openQuietDecisions(
  options: Omit<DecisionsOptions, "audit" | "log" | "usage" | "scheduler">,
): Promise<QuietDecisions> {
  let last: Decided | undefined;
  const log: DecisionLog = {
    keepsFirst: false,
    wants: () => true,
    decided: (decided) => {
      last = decided;
      return undefined;
    },
    // Every question is asked alone.
    batch: () => ({
      about: () => undefined,
      add: () => undefined,
      lastId: () => undefined,
      end: () => undefined,
    }),
  };
  const decisions = await openDecisions({
    ...options,
    audit: { decisions: "none", decision: () => undefined },
    log,
    scheduler: new Scheduler(TURN_MS),
  });
  return { decisions, last: () => last };
}
