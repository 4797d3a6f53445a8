/** `POST /auth/check`: what a user may do, for the user and for callers who may read the user. */

import type { Reply } from "../../../http/route.ts";
import { schemaRef } from "../../../http/schema/schema-forms.ts";
import { checkBody, readCheck } from "../../decisions/native/check.ts";
import { BASE_PATH, json } from "../../rest/operation.ts";
import { answerWith } from "../../rest/operation-kinds.ts";
import type { UserCall } from "../call.ts";
import type { ManagementParts, UserDeclaration } from "../declaration.ts";
import { requirePermission } from "./permissions.ts";

/** The operation. */
export const CHECK_OPERATIONS: readonly UserDeclaration[] = [
  {
    access: "user",
    priority: "bulk",
    method: "POST",
    reads: true,
    tag: "sessions",
    id: "check",
    path: `${BASE_PATH}/auth/check`,
    summary: "What a user may do",
    description:
      "About the caller, or with `auth:ReadUser` about another user. `explain` needs nothing more.",
    body: {
      schema: schemaRef("CheckRequest"),
      example: {
        user: "alice",
        required: { action: "fs:ReadRepository", resource: "arn:svc:fs:::repository/data" },
      },
    },
    answer: answerWith(200, "CheckAnswer", { allowed: true, effect: "allow" }),
    errors: [403],
    handler: (parts) => (call) => check(call, parts),
  },
];

async function check(call: UserCall, parts: ManagementParts): Promise<Reply> {
  const request = readCheck(call.body, call, parts.limits);
  const { user } = request;
  if (user !== call.caller.identity.username) {
    const asked = {
      id: "getUser",
      values: new Map([["userId", user]]),
      fields: new Map([["action.user", user]]),
    };
    await requirePermission(parts, asked, call);
  }
  return json(200, checkBody(await parts.decisions.check(request)));
}
