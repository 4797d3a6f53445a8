/** `/auth/access/…`: questions about access and its use (decision-log.md §5). */

import type { Parameter } from "../../../http/openapi/openapi-types.ts";
import { schemaRef } from "../../../http/schema/schema-forms.ts";
import { BASE_PATH } from "../../rest/operation.ts";
import type { UserDeclaration } from "../declaration.ts";
import { answered, SHARED, timeOf } from "./access-calls.ts";
import { SUGGEST_OPERATION } from "./suggest-operation.ts";

const DEFAULT_DAYS = 90;

const SINCE: Parameter = {
  name: "since",
  in: "query",
  description: "RFC 3339 date and time; 90 days ago by default.",
  schema: { type: "string" },
  example: "2026-08-24T00:00:00Z",
};

const EXAMPLE_SECONDS = 1_777_708_800;

const REVIEW_EXAMPLE = {
  at: "2026-11-22T09:30:00.000Z",
  since: "2026-08-24T00:00:00.000Z",
  revision: 1204,
  node: "node-1",
  counted_since: "2026-05-02T08:00:00.000Z",
  counts: { users: 3, groups: 1, policies: 2, keys: 3 },
  administrators: [
    { user: "admin", steps: [] },
    {
      user: "helpdesk",
      steps: [
        {
          operation: "addGroupMembership",
          as: "helpdesk",
          values: { groupId: "Admins", userId: "helpdesk" },
          allowed_by: [{ policy: "Helpdesk", statement: 0 }],
        },
      ],
    },
  ],
  undecided: [],
  access: [
    {
      users: [{ id: "alice", last_used: EXAMPLE_SECONDS }],
      groups: ["Analysts"],
      policies: [],
      rights: [
        {
          type: "object",
          verbs: ["read", "list"],
          resources: ["arn:svc:fs:::repository/data/*"],
          policy: "ReadData",
          statement: 0,
          via: [{ group: "Analysts" }],
          conditional: false,
          last_used: EXAMPLE_SECONDS,
        },
      ],
    },
  ],
  old_keys: [{ access_key_id: "AKIAJEXAMPLEEXAMPLEQ", user: "admin", creation_date: EXAMPLE_SECONDS }],
  changes: [
    {
      revision: 1204,
      at: "2026-11-20T12:00:00.000Z",
      actors: ["admin"],
      users: [],
      groups: ["Analysts"],
      policies: ["ReadData"],
    },
  ],
  warnings: [],
  truncated: false,
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
    errors: [400],
    handler: (parts) => (call) =>
      answered(call, parts, (questions, caller) =>
        questions.unused(caller, timeOf(call.query.get("since"), "since", DEFAULT_DAYS)),
      ),
  },
  SUGGEST_OPERATION,
  {
    ...SHARED,
    method: "GET",
    id: "reviewAccess",
    path: `${BASE_PATH}/auth/access/review`,
    summary: "Review access",
    description:
      "Who may do what on which types of resources, through which statements, and when they were used last; administrators in effect, and the steps by which others can become one; access keys that are older than a year; what changed since a time.",
    query: [SINCE],
    answer: {
      status: 200,
      description: "The review.",
      schema: schemaRef("AccessReview"),
      example: REVIEW_EXAMPLE,
    },
    errors: [400],
    handler: (parts) => (call) =>
      answered(call, parts, (questions, caller) =>
        questions.review(caller, timeOf(call.query.get("since"), "since", DEFAULT_DAYS)),
      ),
  },
];
