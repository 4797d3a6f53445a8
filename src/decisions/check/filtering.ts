/**
 * `/filter`: selects the resources on which a user may act, each exactly as a single check decides
 * (spec/decision-api §3.2).
 */

import type { CompiledPolicies } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { Lookup } from "@svc-authorizer/policy/engine/decide/lookup.ts";
import { type OutcomeTest, outcomeTest } from "@svc-authorizer/policy/engine/decide/outcome-test.ts";
import type { CompiledStatement } from "@svc-authorizer/policy/engine/statement.ts";
import { finishWithin, STEP_UNITS, type Steps } from "@svc-authorizer/policy/engine/work.ts";
import type { ConditionFields, Outcome } from "@svc-authorizer/policy/model/decision.ts";
import type { Pause } from "../../schedule/pace.ts";
import type { AskedResource, DecidingPolicies } from "../decision-log.ts";
import type { DecisionCounters, FilterRequest } from "../decisions.ts";
import type { UserUse } from "../usage.ts";

/** Resources whose attributes are read at once. */
const READ = 64;

/** A resource of a filter as it was asked for; undefined where that was by its ARN. */
export function namedAt({ named }: Pick<FilterRequest, "named">, index: number): AskedResource | undefined {
  return named && { type: named.type, id: named.ids[index] as string };
}

/** The common input of the items of a filter. */
interface FilterQuestion extends Omit<FilterRequest, "context"> {
  readonly context: ConditionFields;
  readonly loaded: DecidingPolicies;
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
  const test = outcomeTest(policies, { user, action, context }, new Lookup());
  const counted = use?.inARow(action);
  let done = 0;
  for (let index = 0; index < resources.length; index++) {
    const resource = resources[index] as string;
    const outcome = test(resource) ?? (yield* test.inSteps(resource));
    const { effect } = outcome;
    counts[effect]++;
    counted?.decided(test.place());
    batch?.add(outcome, resource, namedAt(request, index), test.place().statementIn(policies));
    if (effect === "allow") allowed.push(index);
    const work = test.work() - done;
    if (work < STEP_UNITS) continue;
    yield work;
    done += work;
  }
  yield test.work() - done;
  return allowed;
}

/** The ways in which a filter lets others in. */
interface Pacing {
  /** Waits if it is time to let other work run. */
  readonly pause: Pause;
  /** Runs long steps between other work, on the budget of the request. */
  readonly run: <T>(steps: Steps<T>) => Promise<T>;
  /** False once the directory is another one than that of the policies. */
  readonly isCurrent: () => boolean;
}

/** The outcome for the first resources: all of them, unless the directory changed. */
interface Filtered {
  /** Indexes of the allowed ones, ascending. */
  readonly allowed: readonly number[];
  /** Resources that were decided about. */
  readonly done: number;
}

/** The outcome for a resource and the statement that decided. */
function* decidedItem(
  policies: CompiledPolicies,
  test: OutcomeTest,
  resource: string,
): Steps<{ readonly outcome: Outcome; readonly decidedBy: CompiledStatement | undefined }> {
  const outcome = yield* test.inSteps(resource);
  const decidedBy = test.place().statementIn(policies);
  yield test.work();
  return { outcome, decidedBy };
}

/**
 * As {@link filterResources}, for conditions that read attributes of the resources. Ends where these are of another state of
 * the directory than the policies: the others are to be decided about in that one.
 * @param fieldsOf the condition fields of a resource
 * @param pacing how others are let in
 */
export async function filterByAttributes(
  policies: CompiledPolicies,
  question: FilterQuestion,
  counters: DecisionCounters,
  fieldsOf: (resource: string, named: AskedResource | undefined) => Promise<ConditionFields>,
  { pause, run, isCurrent }: Pacing,
): Promise<Filtered> {
  const { user, action, resources, batch, use, loaded } = question;
  const counts = counters.decisions.filter;
  const allowed: number[] = [];
  const lookup = new Lookup();
  for (let from = 0; from < resources.length; from += READ) {
    const some = resources.slice(from, from + READ);
    const named = (index: number) => namedAt(question, from + index);
    const fields = await Promise.all(some.map((resource, index) => fieldsOf(resource, named(index))));
    if (!isCurrent()) return { allowed, done: from };
    for (const [index, context] of fields.entries()) {
      await pause();
      const resource = some[index] as string;
      const item = decidedItem(policies, outcomeTest(policies, { user, action, context }, lookup), resource);
      const done = finishWithin(item, STEP_UNITS);
      const { outcome, decidedBy } = done === undefined ? await run(item) : done.value;
      const { effect } = outcome;
      counts[effect]++;
      // Each resource has its own fields.
      batch?.about({ user, action, loaded, context });
      batch?.add(outcome, resource, named(index), decidedBy);
      use?.decided({ action, resource }, decidedBy === undefined ? [] : [decidedBy]);
      if (effect === "allow") allowed.push(from + index);
    }
  }
  return { allowed, done: resources.length };
}
