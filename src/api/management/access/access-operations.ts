/** `/auth/access/…`: questions about access and its use (decision-log.md §5). */

import { AuthorizerError } from "../../../errors.ts";
import { RequestRefused } from "../../../http/errors.ts";
import type { Parameter } from "../../../http/openapi-types.ts";
import type { Query } from "../../../http/query.ts";
import type { Reply } from "../../../http/route.ts";
import { schemaRef } from "../../../http/schema-forms.ts";
import { BASE_PATH } from "../../rest/operation.ts";
import type { UserCall } from "../call.ts";
import type { ManagementParts, UserDeclaration } from "../declaration.ts";
import type { AccessQuestions } from "./ports.ts";

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 90;
/** Milliseconds until an answer has to be there: a job may wait for another. */
const ANSWERED_WITHIN_MS = 150_000;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

const SHARED = {
  access: "permitted",
  permission: { action: "auth:ReadDecisions", resource: "*" },
  priority: "bulk",
  tag: "access",
  errors: [400],
} as const;

const SINCE: Parameter = {
  name: "since",
  in: "query",
  description: "RFC 3339 date and time; 90 days ago by default.",
  schema: { type: "string" },
  example: "2026-08-24T00:00:00Z",
};

/** The operations. */
export const ACCESS_OPERATIONS: readonly UserDeclaration[] = [
  {
    ...SHARED,
    method: "GET",
    id: "unusedAccess",
    path: `${BASE_PATH}/auth/access/unused`,
    summary: "Find access that is not used",
    description:
      "Users, access keys, groups, policies and statements that decided nothing since a time, and actions of statements that nobody used. Times of last use are those known, however long ago.",
    query: [SINCE],
    answer: {
      status: 200,
      description: "What was not used, in the order of names; at most 10,000 of each.",
      schema: schemaRef("UnusedAccess"),
      example: {
        since: "2026-08-24T00:00:00.000Z",
        counted_since: "2026-05-02T08:00:00.000Z",
        revision: 1204,
        nodes: [{ node: "node-1", counted_since: "2026-05-02T08:00:00.000Z" }],
        users: [{ id: "bob", creation_date: 1_777_708_800 }],
        keys: [
          {
            access_key_id: "AKIAJEXAMPLEEXAMPLEQ",
            user: "alice",
            creation_date: 1_777_708_800,
            last_used: 1_779_000_000,
          },
        ],
        groups: [],
        policies: [{ id: "OldReports", attached: 2 }],
        statements: [{ policy: "ReadData", statement: 1, sid: "Tags", effect: "allow" }],
        actions: [{ policy: "ReadData", statement: 0, unused: ["fs:ListObjects"] }],
        warnings: [],
        truncated: false,
      },
    },
    handler: (parts) => (call) => unused(call, questionsOf(parts)),
  },
];

/** The questions; throws "invalid_request" where use is not counted. */
function questionsOf({ access }: ManagementParts): AccessQuestions {
  if (access !== undefined) return access;
  throw new AuthorizerError("invalid_request", "use is not counted (authorizer.usage.interval is 0s)");
}

async function unused(call: UserCall, questions: AccessQuestions): Promise<Reply> {
  call.deadline = performance.now() + ANSWERED_WITHIN_MS;
  return { status: 200, body: await questions.unused(call.caller.name, sinceOf(call.query)) };
}

/** The parameter `since` in Unix milliseconds. Throws RequestRefused 400. */
function sinceOf(query: Query): number {
  const text = query.get(SINCE.name) ?? "";
  if (text === "") return Date.now() - DEFAULT_DAYS * DAY_MS;
  const time = TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) {
    throw new RequestRefused(400, "since: must be a date and time such as 2026-08-24T00:00:00Z");
  }
  return time;
}
