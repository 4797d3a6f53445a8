/** `POST /auth/check`: what a user may do, for oneself or for whoever may read the user (permissions.md §8). */

import type { Decisions } from "../../decisions/decisions.ts";
import type { Reply } from "../../http/route.ts";
import type { Endpoints } from "../../request-map/endpoints.ts";
import { checkBody, readCheck } from "../decisions/check.ts";
import type { DecisionLimits } from "../decisions/limits.ts";
import { json } from "../rest/operation.ts";
import type { ManagementOperation, UserCall } from "./operation.ts";
import { requirePermission } from "./permissions.ts";

/** What the operation needs. */
export interface CheckParts {
  readonly decisions: Decisions;
  readonly endpoints: Endpoints;
  readonly limits: DecisionLimits;
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
      handle: (call) => check(call, parts),
    },
  ];
}

async function check(call: UserCall, parts: CheckParts): Promise<Reply> {
  const request = readCheck(call.body, call.requestId, parts.limits);
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
