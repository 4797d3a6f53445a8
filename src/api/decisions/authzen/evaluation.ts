/** `POST /access/v1/evaluation`: one AuthZEN access evaluation (spec/decision-api §2). */

import type { Outcome } from "@svc-authorizer/policy/model/decision.ts";
import type { Decisions, EvaluationAnswer, EvaluationRequest } from "../../../decisions/decisions.ts";
import { requireObject } from "../../../http/body/json-body.ts";
import { invalidRequest } from "../../../http/errors.ts";
import type { ServiceCall } from "../../service-caller.ts";
import type { DecisionLimits } from "../limits.ts";
import { reasonText } from "../native/reason-texts.ts";
import { wantsExplanation } from "../query.ts";
import { type EvaluationParts, partProblems, readParts } from "./entities.ts";

const ALLOWED = '{"decision":true}';

/** An answer as JSON text: the usual ones without a serialiser. */
export function evaluationText(answer: EvaluationAnswer): string {
  const { context } = answer;
  if (context === undefined) return answer.decision ? ALLOWED : JSON.stringify(answer);
  const { id, reason_user } = context;
  const message = reason_user?.["403"];
  return id !== undefined && message !== undefined && isPlain(answer)
    ? refusalText(id, message)
    : JSON.stringify(answer);
}

/** True for a refusal that has an id and a reason and nothing else. */
function isPlain({ decision, context }: EvaluationAnswer): boolean {
  let members = 0;
  for (const _name in context) members++;
  return !decision && members === 2;
}

function refusalText(id: string, message: string): string {
  return `{"decision":false,"context":{"id":"${id}","reason_user":{"403":${reasonText(message)}}}}`;
}

/** An outcome as JSON text: that of the answer which an evaluation gives for it. */
export function outcomeText({ effect, message }: Outcome, decisionId: () => string): string {
  return effect === "allow" ? ALLOWED : refusalText(decisionId(), message as string);
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
