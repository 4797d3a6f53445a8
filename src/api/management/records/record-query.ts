/** The parameters of questions about records. */

import type { Problem } from "@svc-authorizer/policy/errors.ts";
import { parseDate } from "@svc-authorizer/policy/model/condition-values.ts";
import { invalidRequest } from "../../../http/errors.ts";
import type { Parameter } from "../../../http/openapi/openapi-types.ts";
import type { Query } from "../../../http/request/query.ts";
import type { RecordQuery } from "./ports.ts";

const LONGEST_TEXT = 4_096;
const DECISIONS = ["allow", "deny", "neutral"] as const;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

function parameter(name: string, description: string, example: string): Parameter {
  return { name, in: "query", description, schema: { type: "string" }, example };
}

/** The parameters, for the reference. */
export const RECORD_FILTERS: readonly Parameter[] = [
  parameter(
    "subject",
    "Id of the subject; `*` and `?` are wildcards here and in the next parameters.",
    "alice",
  ),
  parameter("action", "Action.", "fs:ReadObject"),
  parameter("resource", "ARN of the resource.", "arn:svc:fs:::repository/data/*"),
  parameter("policy", "Policy of a statement that decided.", "ReadData"),
  {
    name: "decision",
    in: "query",
    description: "`allow`; `deny` for every refusal; `neutral` for those that no statement denied.",
    schema: { enum: DECISIONS },
    example: "deny",
  },
  parameter("since", "RFC 3339 date and time: not before it.", "2026-11-22T08:00:00Z"),
  parameter("until", "RFC 3339 date and time: before it.", "2026-11-22T09:00:00Z"),
];

/** The parameters of questions about the audit log. */
export const AUDIT_FILTERS: readonly Parameter[] = [
  parameter(
    "actor",
    "Name of the user or token; `*` and `?` are wildcards here and in the next parameters.",
    "alice",
  ),
  parameter("operation", "Operation, by its id in this document.", "attachPolicyToUser"),
  parameter("target", "Kind and name of what was changed, or to whom it belongs.", "user bob"),
  parameter("event", "Event, such as `write`, `login`, `secret_read` or `authentication_failed`.", "write"),
  ...RECORD_FILTERS.filter(({ name }) => name === "since" || name === "until"),
];

/** Members of a query for parameters of another name. */
const MEMBERS: ReadonlyMap<string, string> = new Map([
  ["actor", "subject"],
  ["operation", "action"],
  ["target", "resource"],
]);

/** Reads the parameters; throws "invalid_request" with every problem. */
export function recordQuery(query: Query, filters: readonly Parameter[]): RecordQuery {
  const problems: Problem[] = [];
  const found: Record<string, string> = {};
  for (const { name } of filters) {
    const text = query.get(name);
    if (text === undefined) continue;
    const fault = faultOf(name, text);
    if (fault === undefined) found[MEMBERS.get(name) ?? name] = text;
    else problems.push({ pointer: "", message: `${name}: ${fault}` });
  }
  if (problems.length > 0) throw invalidRequest(problems);
  return found;
}

function faultOf(name: string, text: string): string | undefined {
  // Of a program whose variable is empty: all records are not what it asked for.
  if (text === "") return "is empty; leave it out for all";
  if (text.length > LONGEST_TEXT) return `longer than ${LONGEST_TEXT} characters`;
  if (name === "decision") {
    return DECISIONS.some((one) => one === text) ? undefined : `must be one of ${DECISIONS.join(", ")}`;
  }
  if (name !== "since" && name !== "until") return undefined;
  const isTime = TIME.test(text) && parseDate(text) !== undefined;
  return isTime ? undefined : "must be a date and time such as 2026-11-22T08:00:00Z";
}
