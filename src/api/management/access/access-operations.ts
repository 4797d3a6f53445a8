/** `/auth/access/…`: questions about access and its use (spec/decision-log §5). */

import { schemaRef } from "../../../http/schema/schema-forms.ts";
import { BASE_PATH } from "../../rest/operation.ts";
import type { UserDeclaration } from "../declaration.ts";
import { answered, DEFAULT_DAYS, SHARED, SINCE, timeOf } from "./access-calls.ts";
import { SUGGEST_OPERATION } from "./suggest-operation.ts";
import { UNUSED_OPERATION } from "./unused-operation.ts";

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
          allowed_by: [{ policy: "Helpdesk", statement: 0, sid: "Members" }],
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
  accepted: [
    { policy: "Helpdesk", rule: "self-escalation", sid: "Members", reason: "It runs the directory." },
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
  UNUSED_OPERATION,
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
      answered(call, parts, (questions, caller, signal) =>
        questions.review(caller, timeOf(call.query.get("since"), "since", DEFAULT_DAYS), signal),
      ),
  },
];
