/** `POST /access/v1/request`: may a request of a data server pass? (spec/decision-api §3) */

import type { Problem } from "@svc-authorizer/policy/errors.ts";
import type { Decisions } from "../../../decisions/decisions.ts";
import type { RequestAnswer, RequestCheck } from "../../../decisions/requests.ts";
import type { BodyBounds } from "../../../http/body/json-body.ts";
import { parseStrictJson } from "../../../http/body/strict-json.ts";
import { invalidRequest } from "../../../http/errors.ts";
import type { ServiceCall } from "../../service-caller.ts";
import type { DecisionLimits } from "../limits.ts";
import { contextOf } from "../native/native-fields.ts";
import { refuseQuery } from "../query.ts";
import { type GivenRequest, wireRequest } from "./request-fields.ts";

/** Members in which letter case makes no difference: to HTTP, and to Go that reads the body. */
const CASELESS: ReadonlySet<string> = new Set(["headers", "body"]);

/** The value of a body in which no member is repeated; throws as {@link parseStrictJson} does. */
export function parseRequestBody(bytes: Buffer, bounds: BodyBounds): unknown | Promise<unknown> {
  return parseStrictJson(bytes, bounds, CASELESS);
}

/** Builds the handler; `s3Domains` are the host names of the S3 gateway. */
export function requestHandler(decisions: Decisions, limits: DecisionLimits, s3Domains: readonly string[]) {
  return (call: ServiceCall): string | Promise<string> => {
    refuseQuery(call);
    const answer = decisions.request(checkOf(call, limits, s3Domains));
    return answer instanceof Promise ? answer.then(requestText) : requestText(answer);
  };
}

function requestText({ operation, required, allowed, perItem, ...rest }: RequestAnswer): string {
  const items = perItem === undefined ? {} : { per_item: perItem };
  return JSON.stringify({ operation, required, allowed, ...rest, ...items });
}

interface RequestBody extends GivenRequest {
  readonly user: string;
  readonly groups?: readonly string[];
  readonly token?: string;
  readonly context?: unknown;
}

function checkOf(call: ServiceCall, limits: DecisionLimits, s3Domains: readonly string[]): RequestCheck {
  const { user, groups, token, context, ...given } = call.body as RequestBody;
  const problems: Problem[] = [];
  const request = wireRequest(given, limits, s3Domains, problems);
  if (problems.length > 0) throw invalidRequest(problems);
  return {
    user,
    ...(groups && { groups }),
    token,
    request,
    items: "told",
    missingBody: "every_resource",
    context: contextOf(context),
    entrance: "request",
    requestId: call.requestId,
    call,
  };
}
