/** `POST /access/v1/check`: one native decision (decision-api.md §3). */

import type { CheckAnswer, CheckRequest, Decisions } from "../../decisions/decisions.ts";
import type { Call } from "../../http/route.ts";
import { requireScope, type ServiceCall } from "../service-caller.ts";
import type { DecisionLimits } from "./limits.ts";
import { FieldReader } from "./native-fields.ts";
import { refuseQuery } from "./query.ts";
import { readRequired } from "./required.ts";

const FIELDS: ReadonlySet<string> = new Set(["user", "required", "context", "explain"]);
const ALLOWED = '{"allowed":true,"effect":"allow"}';

/** An answer as it goes over the wire. */
export function checkBody(answer: CheckAnswer): Record<string, unknown> {
  return { allowed: answer.effect === "allow", ...answer };
}

function checkText(answer: CheckAnswer): string {
  const plain = answer.effect === "allow" && answer.id === undefined && answer.explanation === undefined;
  return plain ? ALLOWED : JSON.stringify(checkBody(answer));
}

/** Builds the handler. */
export function checkHandler(decisions: Decisions, limits: DecisionLimits) {
  return (call: ServiceCall): string | Promise<string> => {
    const { body } = call;
    refuseQuery(call);
    const request = readCheck(body, call, limits);
    if (request.explain) requireScope(call.caller, "read");
    const answer = decisions.check(request);
    return answer instanceof Promise ? answer.then(checkText) : checkText(answer);
  };
}

/** The question of a body; throws "invalid_request" with every problem. */
export function readCheck(body: unknown, call: Call, limits: DecisionLimits): CheckRequest {
  const reader = new FieldReader();
  const fields = reader.object({ value: body, pointer: "" }, FIELDS);
  const whole = reader.problems.length === 0 || fields.size > 0;
  if (!whole) reader.finish();
  const request: CheckRequest = {
    user: reader.text(fields.get("user"), "/user"),
    required: readRequired(
      reader,
      fields.get("required") ?? { value: undefined, pointer: "/required" },
      limits,
    ),
    context: reader.context(fields.get("context")),
    explain: reader.flag(fields.get("explain")),
    entrance: "check",
    requestId: call.requestId,
    call,
  };
  reader.finish();
  return request;
}
