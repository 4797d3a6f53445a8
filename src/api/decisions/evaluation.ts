/** `POST /access/v1/evaluation`: one AuthZEN access evaluation (decision-api.md §2). */

import type { Decisions, EvaluationAnswer, EvaluationRequest } from "../../decisions/decisions.ts";
import { invalidRequest } from "../../http/errors.ts";
import { requireObject } from "../../http/json-body.ts";
import type { Outcome } from "../../model/decision.ts";
import type { ServiceCall } from "../service-caller.ts";
import { type EvaluationParts, partProblems, readParts } from "./authzen.ts";
import type { DecisionLimits } from "./limits.ts";
import { wantsExplanation } from "./query.ts";

const ALLOWED = '{"decision":true}';

/** An answer as JSON text. */
export function evaluationText(answer: EvaluationAnswer): string {
  return answer.decision && answer.context === undefined ? ALLOWED : JSON.stringify(answer);
}

/** Texts before and after the decision id, by refusal: refusals that are alike are one object. */
const refusals = new WeakMap<Outcome, readonly [string, string]>();

/** An outcome as JSON text: that of the answer which an evaluation gives for it. */
export function outcomeText(outcome: Outcome, decisionId: () => string): string {
  if (outcome.effect === "allow") return ALLOWED;
  let parts = refusals.get(outcome);
  if (parts === undefined) {
    const reason = JSON.stringify({ "403": outcome.message });
    parts = ['{"decision":false,"context":{"id":"', `","reason_user":${reason}}}`];
    refusals.set(outcome, parts);
  }
  return `${parts[0]}${decisionId()}${parts[1]}`;
}

/** Builds the handler. */
export function evaluationHandler(decisions: Decisions, limits: DecisionLimits) {
  return (call: ServiceCall): string | Promise<string> => {
    const { body } = call;
    const explain = wantsExplanation(call);
    const answer = decisions.evaluate(
      singleEvaluation(requireObject(body), call, explain, "evaluation", limits),
    );
    return answer instanceof Promise ? answer.then(evaluationText) : evaluationText(answer);
  };
}

/** The evaluation that a whole body asks for; throws "invalid_request" with every problem. */
export function singleEvaluation(
  body: Record<string, unknown>,
  call: ServiceCall,
  explain: boolean,
  entrance: EvaluationRequest["entrance"],
  limits: DecisionLimits,
): EvaluationRequest {
  const parts = readParts(body, limits);
  if (parts === undefined) throw invalidRequest(partProblems(body, "", limits));
  return toRequest(parts, call, explain, entrance);
}

/** Parts and call in one object. */
export function toRequest(
  parts: EvaluationParts,
  call: ServiceCall,
  explain: boolean,
  entrance: EvaluationRequest["entrance"],
): EvaluationRequest {
  const { subject, action, resource, context } = parts;
  const { requestId } = call;
  if (context === undefined) return { subject, action, resource, explain, entrance, requestId, call };
  return { subject, action, resource, context, explain, entrance, requestId, call };
}
