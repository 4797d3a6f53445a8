/** Users of the management API (permissions.md §12). */

import type { Directory } from "../../directory/directory.ts";
import { RequestRefused } from "../../http/errors.ts";
import type { Reply } from "../../http/route.ts";
import { BodyFields, withFieldNames } from "../rest/body-fields.ts";
import { json, NO_CONTENT, param } from "../rest/operation.ts";
import { listReply } from "../rest/pages.ts";
import { groupBody } from "../rest/shapes.ts";
import type { ManagementAudit } from "./management-audit.ts";
import { askedByNewName, nameIn } from "./new-names.ts";
import { type OpenCall, permitted, type UserCall, type UserOperation } from "./operation.ts";
import type { UserInvitations } from "./ports.ts";
import { userBody } from "./shapes.ts";

const USER = "/auth/users/{userId}";
const MISSING = "user not found";
/** Fields of the directory → fields of the body. */
const CREATION_NAMES = new Map([
  ["/username", "/id"],
  ["/email", "/id"],
]);
/** What a data server calls users of its own. */
const SOURCE = "internal";
const ADDRESS = /^[^\s<>@]+@[^\s<>@]+$/;

/** What the operations on users need. */
export interface UserParts {
  readonly directory: Directory;
  readonly audit: ManagementAudit;
  readonly invitations: UserInvitations;
}

/** The operations. */
export function userOperations(parts: UserParts): readonly UserOperation[] {
  const { users } = parts.directory;
  const { audit } = parts;
  return [
    permitted("listUsers", "GET", "/auth/users", (call) =>
      listReply(call, (page) => users.list(page), userBody),
    ),
    permitted(
      "createUser",
      "POST",
      "/auth/users",
      (call) => create(call, parts),
      askedByNewName("User", (call) => creationOf(call).username),
    ),
    permitted("getUser", "GET", USER, async (call) => json(200, userBody(await users.get(param(call, 0)))), {
      missing: MISSING,
    }),
    permitted(
      "deleteUser",
      "DELETE",
      USER,
      async (call) => {
        const before = await users.get(param(call, 0));
        await users.delete(before.username);
        audit.wrote(call, "deleteUser", { user: before.username, before });
        return NO_CONTENT;
      },
      { missing: MISSING },
    ),
    permitted("listUserGroups", "GET", `${USER}/groups`, (call) =>
      listReply(call, (page) => users.groups(param(call, 0), page), groupBody),
    ),
  ];
}

interface Creation {
  /** In lower case for a user who is invited. */
  readonly username: string;
  readonly invite: boolean;
}

/** Who is to be created. */
function creationOf({ body }: Pick<OpenCall, "body">): Creation {
  const fields = new BodyFields(body);
  const id = nameIn(fields, "User");
  const invite = fields.flag("invite_user");
  fields.finish();
  if (!invite) return { username: id, invite };
  if (!ADDRESS.test(id)) throw new RequestRefused(400, "Invalid email format");
  return { username: id.toLowerCase(), invite };
}

async function create(call: UserCall, { directory, audit, invitations }: UserParts): Promise<Reply> {
  const { username, invite } = creationOf(call);
  // The mail is queued first and waits for the user: nobody exists whose invitation was lost.
  if (invite) await withFieldNames(CREATION_NAMES, invitations.invite({ username, email: username }));
  const user = { username, source: SOURCE, ...(invite ? { email: username } : {}) };
  const after = await withFieldNames(CREATION_NAMES, directory.users.create(user));
  audit.wrote(call, "createUser", { user: username, after, ...(invite ? { invited: true } : {}) });
  return json(201, userBody(after));
}
