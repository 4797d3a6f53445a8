/** Changes of what is known of a user (management-api: people only; a data server has no such call). */

import { RequestRefused } from "../../http/errors.ts";
import type { Reply } from "../../http/route.ts";
import { one } from "../rest/examples.ts";
import type { Grant, RestCall } from "../rest/grants.ts";
import { json, param } from "../rest/operation.ts";
import type { RestParts } from "../rest/parts.ts";
import type { ResourceOperation } from "./operation.ts";

/** The body, after its shape was validated. */
interface UserUpdate {
  readonly friendly_name?: string | null;
  readonly email?: string | null;
  readonly inactive?: boolean;
}

/** The operation. */
export const USER_UPDATE_OPERATION: ResourceOperation = {
  method: "PATCH",
  priority: "bulk",
  errors: [400, 404, 409],
  tag: "users",
  id: "updateUser",
  path: "/auth/users/{userId}",
  summary: "Change a user",
  description:
    "Fields that are absent stay. No action is about the fields of users: who may create the user may change it. " +
    "`authorizer.escalation` compares a new e-mail address of somebody else, and making a user active again, with " +
    "what the caller holds.",
  body: {
    schema: "UserUpdate",
    example: { friendly_name: "Alice", email: "alice@example.com", inactive: false },
  },
  answer: one(200, "User"),
  compared: true,
  management: {
    row: "createUser",
    values: (call) => [["body.id", param(call, 0)]],
    fields: (call) => [["action.user", param(call, 0)]],
    missing: "user not found",
  },
  handler: { management: (parts) => (call) => update(call, parts) },
};

async function update(call: RestCall, parts: RestParts): Promise<Reply> {
  const { directory, audit, shapes, escalation } = parts;
  const change = call.body as UserUpdate;
  const before = await directory.users.get(param(call, 0));
  const { username } = before;
  if (change.inactive === true && username === call.caller.name) {
    throw new RequestRefused(409, "you cannot make yourself inactive: ask another administrator");
  }
  const { result: after, warnings } = await escalation.checkGrant(call, grantOf(call, username, change), () =>
    directory.users.update(username, change),
  );
  audit.wrote(call, "updateUser", { user: username, before, after });
  return json(200, shapes.user(after, call), warnings);
}

/** An address lets its owner be found, and an active user has rights again. */
function grantOf(call: RestCall, username: string, change: UserUpdate): Grant {
  const isOther = username !== call.caller.name;
  const identifies = change.email !== undefined && isOther;
  return {
    what: `changing ${JSON.stringify(username)}`,
    ...(identifies ? { actsAs: username } : {}),
    policies: async (state) => {
      const gives = identifies || change.inactive === false;
      return gives ? ((await state.principalOnceActive(username))?.policies ?? []) : [];
    },
  };
}
