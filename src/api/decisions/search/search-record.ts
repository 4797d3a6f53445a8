/** Records of searches in the decision log (spec/decision-log §1.4): what was found, as allowed items. */

import type { Assertion, ConditionFields, Outcome } from "@svc-authorizer/policy/model/decision.ts";
import type { AskedResource, DecisionBatch } from "../../../decisions/decision-log.ts";
import type { Decisions } from "../../../decisions/decisions.ts";
import type { AnyCall } from "../any-call.ts";

/** The entrances of searches. */
type SearchEntrance = "search" | "who_can" | "what_can" | "plan";

/** One thing that was found: who may do what on which resource. */
interface FoundPermission {
  readonly user: string;
  /** Type of the subject; absent: `user`. */
  readonly subjectType?: string;
  readonly action: string;
  readonly resource: string;
  readonly asked?: AskedResource;
}

/** The question, as far as it is known without a result. */
interface Asked extends Partial<Pick<FoundPermission, "user" | "subjectType" | "action">> {
  /** The condition fields, of which a record has the address of the client. */
  readonly context: ConditionFields;
  /** The groups that decided about a subject that is no user, and their asserter. */
  readonly asserted?: Assertion | undefined;
}

const ALLOWED: Outcome = { effect: "allow" };

/** Records a search. Returns a promise if the answer must wait for its record. */
export function recordSearch(
  { log }: Decisions,
  call: AnyCall,
  entrance: SearchEntrance,
  asked: Asked,
  found: readonly FoundPermission[],
): Promise<void> | undefined {
  if (log === undefined) return undefined;
  const batch = log.batch({ entrance, requestId: call.requestId, call });
  const { context, asserted } = asked;
  if (found.length === 0) about(batch, asked);
  for (const one of found) {
    about(batch, { ...one, context, asserted });
    batch.add(ALLOWED, one.resource, one.asked);
  }
  return batch.end();
}

function about(batch: DecisionBatch, { user, subjectType, action = "*", context, asserted }: Asked): void {
  batch.about({ user: user ?? null, subjectType, action, loaded: undefined, asserted, context });
}
