/** `POST /auth/check`: what a user may do, for oneself or for whoever may read the user (permissions.md §8). */

import type { Decisions } from "../../decisions/decisions.ts";
import type { HttpLimits } from "../../http/limits.ts";
import type { Endpoints } from "../../request-map/endpoints.ts";
import { checkBody, readCheck } from "../decisions/check.ts";
import type { ManagementOperation, ManagementReply, UserCall } from "./operation.ts";
import { requirePermission } from "./permissions.ts";
import { json } from "./shapes.ts";

/** What the operation needs. */
export interface CheckParts {
  readonly decisions: Decisions;
  readonly endpoints: Endpoints;
  readonly limits: HttpLimits;
}

/** The operation. */
export function checkOperations(parts: CheckParts): readonly ManagementOperation[] {
  return [
    {
      id: "check",
      method: "POST",
      path: "/auth/check",
      access: "user",
      takesBody: true,
      answer: (call) => check(call, parts),
    },
  ];
}

async function check(call: UserCall, parts: CheckParts): Promise<ManagementReply> {
  const request = readCheck(call.body, call.requestId, parts.limits);
  const { user } = request;
  if (user !== call.identity.username) {
    const asked = {
      id: "getUser",
      values: new Map([["userId", user]]),
      fields: new Map([["action.user", user]]),
    };
    await requirePermission(parts, asked, call);
  }
  return json(200, checkBody(await parts.decisions.check(request)));
}
