/** `POST /access/v1/check`: one native decision (spec/decision-api §3). */

import type { CheckAnswer, CheckRequest, Decisions } from "../../../decisions/decisions.ts";
import { hasMembers, isObject } from "../../../http/body/json-body.ts";
import { fits } from "../../../http/body/text-bytes.ts";
import type { Call } from "../../../http/route.ts";
import { requireScope, type ServiceCall } from "../../service-caller.ts";
import { isName } from "../authzen/entities.ts";
import type { DecisionLimits } from "../limits.ts";
import { refuseQuery } from "../query.ts";
import { FieldReader, NO_CONTEXT } from "./native-fields.ts";
import { reasonText } from "./reason-texts.ts";
import { readRequired } from "./required.ts";

const FIELDS: ReadonlySet<string> = new Set(["user", "groups", "token", "required", "context", "explain"]);
const ALLOWED = '{"allowed":true,"effect":"allow"}';

/** An answer as it goes over the wire. */
export function checkBody(answer: CheckAnswer): Record<string, unknown> {
  return { allowed: answer.effect === "allow", ...answer };
}

/** An answer as JSON text: the usual ones without a serialiser. */
function checkText(answer: CheckAnswer): string {
  const { effect, message, id, reason, explanation } = answer;
  if (explanation !== undefined || reason !== undefined) return JSON.stringify(checkBody(answer));
  if (effect === "allow") return id === undefined ? ALLOWED : JSON.stringify(checkBody(answer));
  if (message === undefined || id === undefined) return JSON.stringify(checkBody(answer));
  return `{"allowed":false,"effect":"${effect}","message":${reasonText(message)},"id":"${id}"}`;
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
  return readPlain(body, call, limits) ?? readAny(body, call, limits);
}

/** The short way for the usual body, which has nothing but a user and one permission; undefined for any other. */
function readPlain(body: unknown, call: Call, limits: DecisionLimits): CheckRequest | undefined {
  if (!isObject(body)) return undefined;
  const { user, required } = body;
  if (!isObject(required)) return undefined;
  const { action, resource } = required;
  const sound =
    isName(user) &&
    isName(action) &&
    isName(resource) &&
    fits(action, limits.actionBytes) &&
    fits(resource, limits.arnBytes) &&
    hasMembers(body, 2) &&
    hasMembers(required, 2);
  if (!sound) return undefined;
  const leaf = { action, resource };
  const { requestId } = call;
  return { user, required: leaf, context: NO_CONTEXT, explain: false, entrance: "check", requestId, call };
}

function readAny(body: unknown, call: Call, limits: DecisionLimits): CheckRequest {
  const reader = new FieldReader();
  const fields = reader.object({ value: body, pointer: "" }, FIELDS);
  const whole = reader.problems.length === 0 || fields.size > 0;
  if (!whole) reader.finish();
  const groups = reader.groups(fields.get("groups"));
  const token = reader.token(fields.get("token"));
  const request: CheckRequest = {
    user: reader.text(fields.get("user"), "/user"),
    ...(groups && { groups }),
    token,
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
