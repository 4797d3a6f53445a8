/** Questions that were answered, as a shadow asks them again. */

import { nameOf } from "@svc-authorizer/policy/engine/statement.ts";
import type { Effect, RequiredPermissions, StatementName } from "@svc-authorizer/policy/model/decision.ts";
import type { AskingCall, Decided } from "../decision-log.ts";
import type { CheckRequest, Decisions, EvaluationRequest } from "../decisions.ts";
import type { Entrance } from "../entrances.ts";
import type { RequestCheck } from "../requests.ts";

/** A question. It does not hold its call, so that nothing of the exchange lives longer than the answer. */
export type ShadowQuestion =
  | { readonly kind: "check"; readonly request: CheckRequest }
  | { readonly kind: "evaluation"; readonly request: EvaluationRequest }
  | { readonly kind: "request"; readonly request: RequestCheck };

/** A check without its call. The internal id of a user means nothing in another directory. */
export function checkAgain(request: CheckRequest): ShadowQuestion {
  const { user, groups, token, required, resource, context, entrance, requestId, call } = request;
  const { managesMirrors = false } = request;
  const whole = { user, token, required, context, entrance, requestId, explain: false, managesMirrors };
  const named = { ...(groups && { groups }), ...(resource && { resource }) };
  return { kind: "check", request: { ...whole, ...named, ...callerOf(call) } };
}

/** An evaluation without its call. */
export function evaluationAgain(request: EvaluationRequest): ShadowQuestion {
  const { subject, action, resource, context, entrance, requestId, call } = request;
  const whole = { subject, action, resource, entrance, requestId, explain: false, ...callerOf(call) };
  return { kind: "evaluation", request: context === undefined ? whole : { ...whole, context } };
}

/** A request of a data server without its call. */
export function requestAgain(check: RequestCheck): ShadowQuestion {
  const { user, groups, token, mayBeUser, asserter, request, items, missingBody } = check;
  const { context, entrance, requestId } = check;
  const subject = { user, groups, token, asserter };
  const asked = { ...subject, request, items, missingBody, context, entrance, requestId };
  const rules = check.rules && { rules: check.rules };
  const whole = {
    ...asked,
    ...rules,
    ...(mayBeUser !== undefined && { mayBeUser }),
    ...callerOf(check.call),
  };
  return { kind: "request", request: whole };
}

/** A call that is over: of it only its caller counts, who may assert groups. */
function callerOf(call: AskingCall | undefined): { readonly call?: AskingCall } {
  if (call === undefined) return {};
  return { call: { caller: call.caller, peer: undefined, startedAt: 0, traceParent: undefined } };
}

/** Decides a question: true if it is allowed. Rejects or throws as the use cases do. */
export function askAgain(decisions: Decisions, question: ShadowQuestion): boolean | Promise<boolean> {
  if (question.kind === "evaluation") {
    const answer = decisions.evaluate(question.request);
    return answer instanceof Promise ? answer.then(({ decision }) => decision) : answer.decision;
  }
  if (question.kind === "request") {
    const answer = decisions.request(question.request);
    return answer instanceof Promise ? answer.then(({ allowed }) => allowed) : answer.allowed;
  }
  const answer = decisions.check(question.request);
  return answer instanceof Promise
    ? answer.then(({ effect }) => effect === "allow")
    : answer.effect === "allow";
}

/** The effect of a decision and the statement that made it. */
export interface ShadowReason {
  readonly effect: Effect;
  /** Absent if no statement decided. */
  readonly statement?: StatementName;
}

/** Returns the reason of a decision. Statements that allowed a part of a tree did not refuse the whole. */
export function reasonOf({ outcome, decidedBy }: Decided): ShadowReason {
  const { effect } = outcome;
  const statement = effect === "neutral" ? undefined : decidedBy.at(-1);
  return statement === undefined ? { effect } : { effect, statement: nameOf(statement) };
}

/** A question in words, without fields of conditions and without bodies. */
export interface DescribedQuestion {
  readonly entrance: Entrance;
  readonly request_id: string;
  /** null for nobody. */
  readonly user: string | null;
  /** Action and resource of a single permission; else the operation, or the permissions as JSON. */
  readonly request: string;
}

/** Tells a part of a question: as it is, or by a text that hides it. */
export type Telling = (
  part: "subject" | "action" | "resource" | "operation" | "required",
  value: string,
) => string;

/** Describes a question for people. */
export function describeQuestion(
  { request }: ShadowQuestion,
  { user, required, operation }: Decided,
  tell: Telling,
): DescribedQuestion {
  const { entrance, requestId } = request;
  const named = operation ? tell("operation", operation) : "";
  const parts = [named, required === null ? "" : permissionsText(required, tell)];
  return {
    entrance,
    request_id: requestId,
    user: user === null ? null : tell("subject", user),
    request: parts.filter((one) => one !== "").join(" "),
  };
}

function permissionsText(required: RequiredPermissions, tell: Telling): string {
  if ("action" in required) {
    return `${tell("action", required.action)} ${tell("resource", required.resource)}`;
  }
  const told = (name: string, value: unknown): unknown =>
    (name === "action" || name === "resource") && typeof value === "string" ? tell(name, value) : value;
  return tell("required", JSON.stringify(required, told));
}
