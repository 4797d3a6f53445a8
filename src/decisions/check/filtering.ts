/**
 * `/filter`: selects the resources on which a user may act, each exactly as a single check decides
 * (decision-api.md §3.2).
 */

import type { CompiledPolicies } from "../../engine/compile.ts";
import { decide } from "../../engine/decide.ts";
import { DecidingPlace } from "../../engine/deciding-place.ts";
import { outcomeTest } from "../../engine/outcome-test.ts";
import type { CompiledStatement } from "../../engine/statement.ts";
import { STEP_UNITS, type Steps } from "../../engine/work.ts";
import type { ConditionFields } from "../../model/decision.ts";
import type { DecisionCounters, FilterRequest } from "../decisions.ts";
import type { UserUse } from "../usage.ts";

/** Resources whose attributes are read at once. */
const READ = 64;

/** The common input of the items of a filter. */
export interface FilterQuestion extends Omit<FilterRequest, "context"> {
  readonly context: ConditionFields;
  /** Counts use; undefined where it is not counted. */
  readonly use: UserUse | undefined;
}

/** Decides about each resource. Returns the indexes of the allowed ones, ascending. */
export function* filterResources(
  policies: CompiledPolicies,
  request: FilterQuestion,
  counters: DecisionCounters,
): Steps<readonly number[]> {
  const { user, action, resources, context, batch, use } = request;
  const counts = counters.decisions.filter;
  const allowed: number[] = [];
  const test = outcomeTest(policies, { user, action, context });
  const counted = use?.inARow(action);
  const place = new DecidingPlace();
  const notes = counted !== undefined || batch !== undefined;
  let done = 0;
  for (let index = 0; index < resources.length; index++) {
    const resource = resources[index] as string;
    const outcome = test(resource);
    const { effect } = outcome;
    counts[effect]++;
    if (notes) test.tellPlace(place);
    counted?.decided(place);
    batch?.add(outcome, resource, undefined, place.statementIn(policies));
    if (effect === "allow") allowed.push(index);
    const work = test.work() - done;
    if (work < STEP_UNITS) continue;
    yield work;
    done += work;
  }
  yield test.work() - done;
  return allowed;
}

/**
 * As {@link filterResources}, for conditions that read attributes of the resources.
 * @param fieldsOf the condition fields of a resource
 * @param pause waits if it is time to let other work run
 */
export async function filterByAttributes(
  policies: CompiledPolicies,
  { user, action, resources, batch, use }: FilterQuestion,
  counters: DecisionCounters,
  fieldsOf: (resource: string) => Promise<ConditionFields>,
  pause: () => Promise<void> | undefined,
): Promise<readonly number[]> {
  const counts = counters.decisions.filter;
  const allowed: number[] = [];
  for (let from = 0; from < resources.length; from += READ) {
    const some = resources.slice(from, from + READ);
    const fields = await Promise.all(some.map(fieldsOf));
    for (const [index, context] of fields.entries()) {
      await pause();
      const resource = some[index] as string;
      const required = { action, resource };
      const decidedBy: CompiledStatement[] | undefined =
        batch === undefined && use === undefined ? undefined : [];
      const outcome = decide(policies, { user, required, context, ...(decidedBy && { decidedBy }) });
      const { effect } = outcome;
      counts[effect]++;
      batch?.add(outcome, resource, undefined, decidedBy?.[0]);
      use?.decided(required, decidedBy);
      if (effect === "allow") allowed.push(from + index);
    }
  }
  return allowed;
}
