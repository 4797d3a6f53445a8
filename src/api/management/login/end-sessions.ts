/** The end of all sessions of a user (spec/security §4.4). */

import type { Reply } from "../../../http/route.ts";
import { BASE_PATH, NO_CONTENT, param } from "../../rest/operation.ts";
import type { UserCall } from "../call.ts";
import type { ManagementDeclaration, ManagementParts } from "../declaration.ts";
import { SESSION } from "./declared.ts";

/** The operation. */
export const END_SESSIONS_OPERATION: ManagementDeclaration = {
  ...SESSION,
  access: "permitted",
  row: "deleteCredentials",
  method: "DELETE",
  id: "endSessions",
  path: `${BASE_PATH}/auth/users/{userId}/sessions`,
  summary: "End all sessions of a user",
  description:
    "Login tokens and session cookies of the user hold no longer, at all listeners; access keys and the password stay. Needs the right to delete access keys of the user.",
  answer: { status: 204, description: "Done." },
  errors: [403, 404],
  missing: "user not found",
  handler: (parts) => (call) => endSessions(call, parts),
};

async function endSessions(call: UserCall, { directory, audit }: ManagementParts): Promise<Reply> {
  const user = param(call, 0);
  await directory.sessions.end(user);
  audit.wrote(call, "endSessions", { user });
  return NO_CONTENT;
}
