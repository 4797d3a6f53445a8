/** The common part of questions about access. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { parseDate } from "@svc-authorizer/policy/model/condition-values.ts";
import { RequestRefused } from "../../../http/errors.ts";
import type { Parameter } from "../../../http/openapi/openapi-types.ts";
import type { Reply } from "../../../http/route.ts";
import type { UserCall } from "../call.ts";
import type { ManagementParts } from "../declaration.ts";
import type { AccessQuestions } from "./ports.ts";

const DAY_MS = 86_400_000;
/** Milliseconds until an answer has to be there: a job may wait for another. */
const ANSWERED_WITHIN_MS = 150_000;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** The days that a question reaches back by default. */
export const DEFAULT_DAYS = 90;

/** The time that a question reaches back to. */
export const SINCE: Parameter = {
  name: "since",
  in: "query",
  description: "RFC 3339 date and time; 90 days ago by default.",
  schema: { type: "string" },
  example: "2026-08-24T00:00:00Z",
};

/** The common part of their declarations. */
export const SHARED = {
  access: "permitted",
  permission: { action: "auth:ReadDecisions", resource: "*" },
  priority: "bulk",
  tag: "access",
} as const;

/**
 * Answers a call with the JSON text of a question.
 * @throws AuthorizerError "invalid_request" where use is not counted
 */
export async function answered(
  call: UserCall,
  parts: Pick<ManagementParts, "access">,
  question: (questions: AccessQuestions, caller: string, signal: AbortSignal | undefined) => Promise<string>,
): Promise<Reply> {
  call.deadline = performance.now() + ANSWERED_WITHIN_MS;
  return { status: 200, body: await question(questionsOf(parts), call.caller.name, call.signal) };
}

/**
 * The questions.
 * @throws AuthorizerError "invalid_request" where use is not counted
 */
export function questionsOf({ access }: Pick<ManagementParts, "access">): AccessQuestions {
  if (access !== undefined) return access;
  throw new AuthorizerError("invalid_request", "use is not counted (authorizer.usage.interval is 0s)");
}

/** A time in Unix milliseconds; so many days ago by default. Throws RequestRefused 400. */
export function timeOf(text: string | undefined | null, name: string, daysAgo: number): number {
  if (text === undefined || text === null || text === "") return Date.now() - daysAgo * DAY_MS;
  const time = TIME.test(text) ? parseDate(text) : undefined;
  if (time === undefined) {
    throw new RequestRefused(400, `${name}: must be a date and time such as 2026-08-24T00:00:00Z`);
  }
  return time;
}
