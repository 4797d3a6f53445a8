/** The decision use cases with a shadow beside them. Their answers are those without it. */

import { setImmediate as nextTurn } from "node:timers/promises";
import { namedAt } from "../check/filtering.ts";
import type { CheckAnswer, CheckRequest, Decisions, EvaluationRequest, FilterRequest } from "../decisions.ts";
import type { RequestCheck } from "../requests.ts";
import type { ShadowTap } from "./shadow.ts";
import { checkAgain, requestAgain } from "./shadow-question.ts";

/** Resources of a list that are told in one go. */
const MANY = 1_000;

/** Tells a shadow what is answered. */
export function shadowed(decisions: Decisions, shadow: ShadowTap): Decisions {
  return {
    ...decisions,
    shadow,
    check: (request: CheckRequest) =>
      told(decisions.check(request), (answer) => {
        // Who is another user of the same name in the service may be nobody else in the candidate.
        if (isForgotten(request, answer) || !shadow.takes()) return;
        shadow.answered(checkAgain(request), answer.effect === "allow");
      }),
    evaluate: (request: EvaluationRequest) =>
      told(decisions.evaluate(request), ({ decision }) => {
        if (shadow.takes()) shadow.evaluated(request, decision);
      }),
    request: (check: RequestCheck) =>
      told(decisions.request(check), (answer) => {
        if (check.userId !== undefined && answer.reason === "unknown_user") return;
        if (shadow.takes()) shadow.answered(requestAgain(check), answer.allowed);
      }),
    filter: (request: FilterRequest) =>
      told(
        decisions.filter(request),
        (allowed) => void tellAll(request, new Set(allowed), shadow),
      ) as Promise<readonly number[]>,
  };
}

function isForgotten({ userId }: CheckRequest, { reason }: CheckAnswer): boolean {
  return userId !== undefined && reason === "unknown_user";
}

/** Looks at an answer when it is there. A failed question has none. */
function told<T>(answer: T | Promise<T>, look: (answer: T) => void): T | Promise<T> {
  if (answer instanceof Promise) answer.then(look, () => undefined);
  else look(answer);
  return answer;
}

async function tellAll(
  filter: FilterRequest,
  allowed: ReadonlySet<number>,
  shadow: ShadowTap,
): Promise<void> {
  const { user, groups, token, action, resources, context, requestId, asserter } = filter;
  for (const [index, resource] of resources.entries()) {
    if (index % MANY === MANY - 1) await nextTurn();
    if (!shadow.takes()) continue;
    const required = { action, resource };
    const subject = { user, token, ...(groups && { groups }), ...callOf(asserter) };
    const named = namedAt(filter, index);
    const asked = { ...subject, required, ...(named && { resource: named }), context, requestId };
    const request = { ...asked, entrance: "filter", explain: false } as const;
    shadow.answered(checkAgain(request), allowed.has(index));
  }
}

/** A call of somebody who may assert groups. */
function callOf(caller: FilterRequest["asserter"]): Pick<CheckRequest, "call"> {
  if (caller === undefined) return {};
  return { call: { caller, peer: undefined, startedAt: 0, traceParent: undefined } };
}
