/** Users of the management API (permissions.md §12). */

import { RequestRefused } from "../../http/errors.ts";
import { requireObject } from "../../http/json-body.ts";
import type { Reply } from "../../http/route.ts";
import { EXAMPLE_TIME } from "../rest/declared.ts";
import { withFieldNames } from "../rest/field-names.ts";
import { BASE_PATH, json, NO_CONTENT, param } from "../rest/operation.ts";
import { listReply } from "../rest/pages.ts";
import { groupBody } from "../rest/shapes.ts";
import type { OpenCall, UserCall } from "./call.ts";
import {
  answerWith,
  answerWithPage,
  bodyOf,
  CREATE,
  LIST,
  type ManagementParts,
  READ,
  REMOVE,
  type UserDeclaration,
} from "./declaration.ts";
import { EXAMPLE_GROUP } from "./groups.ts";
import { decidedOnNewName, nameIn } from "./new-names.ts";
import { userBody } from "./shapes.ts";

const USERS = `${BASE_PATH}/auth/users`;
const USER = `${USERS}/{userId}`;
const ABOUT = { tag: "users", missing: "user not found" } as const;
/** Fields of the directory → fields of the body. */
const CREATION_NAMES = new Map([
  ["/username", "/id"],
  ["/email", "/id"],
]);
/** What a data server calls users of its own. */
const SOURCE = "internal";
const ADDRESS = /^[^\s<>@]+@[^\s<>@]+$/;

/** The example of a user. */
export const EXAMPLE_USER = {
  id: "alice",
  creation_date: EXAMPLE_TIME,
  friendly_name: "Alice",
  email: "alice@example.com",
};

/** The operations. */
export const USER_OPERATIONS: readonly UserDeclaration[] = [
  {
    ...LIST,
    tag: "users",
    id: "listUsers",
    path: USERS,
    summary: "List users",
    description: "All users, in the order of their names.",
    answer: answerWithPage("UserList", EXAMPLE_USER),
    errors: [400],
    handler:
      ({ directory: { users } }) =>
      (call) =>
        listReply(call, (page) => users.list(page), userBody),
  },
  {
    ...CREATE,
    tag: "users",
    id: "createUser",
    path: USERS,
    summary: "Create a user, or invite one by mail",
    description:
      "With `invite_user` the id is an e-mail address, and a mail with a link to an access key is sent there.",
    body: bodyOf("UserCreation", { id: "alice", invite_user: false }),
    answer: answerWith(201, "User", EXAMPLE_USER),
    ...decidedOnNewName("User", (call) => creationOf(call).username),
    handler: (parts) => (call) => create(call, parts),
  },
  {
    ...READ,
    ...ABOUT,
    id: "getUser",
    path: USER,
    summary: "Get a user",
    description: "The user without its groups and policies, which have lists of their own.",
    answer: answerWith(200, "User", EXAMPLE_USER),
    handler:
      ({ directory: { users } }) =>
      async (call) =>
        json(200, userBody(await users.get(param(call, 0)))),
  },
  {
    ...REMOVE,
    ...ABOUT,
    id: "deleteUser",
    path: USER,
    summary: "Delete a user",
    description: "Its access keys, memberships, attachments and external principals go with it.",
    answer: { status: 204, description: "Done." },
    handler:
      ({ directory: { users }, audit }) =>
      async (call) => {
        const before = await users.get(param(call, 0));
        await users.delete(before.username);
        audit.wrote(call, "deleteUser", { user: before.username, before });
        return NO_CONTENT;
      },
  },
  {
    ...LIST,
    tag: "users",
    id: "listUserGroups",
    path: `${USER}/groups`,
    summary: "List the groups of a user",
    description: "The groups that the user is a member of.",
    answer: answerWithPage("GroupList", EXAMPLE_GROUP),
    errors: [400, 404],
    handler:
      ({ directory: { users } }) =>
      (call) =>
        listReply(call, (page) => users.groups(param(call, 0), page), groupBody),
  },
];

interface Creation {
  /** In lower case for a user who is invited. */
  readonly username: string;
  readonly invite: boolean;
}

/** Who is to be created. */
function creationOf({ body }: Pick<OpenCall, "body">): Creation {
  const { id, invite_user: invite } = requireObject(body);
  const username = nameIn(id, "User");
  if (invite !== true) return { username, invite: false };
  if (!ADDRESS.test(username)) throw new RequestRefused(400, "Invalid email format");
  return { username: username.toLowerCase(), invite };
}

async function create(call: UserCall, { directory, audit, invitations }: ManagementParts): Promise<Reply> {
  const { username, invite } = creationOf(call);
  // The mail is queued first and waits for the user: no user is created whose invitation was lost.
  if (invite) await withFieldNames(CREATION_NAMES, invitations.invite({ username, email: username }));
  const user = { username, source: SOURCE, ...(invite ? { email: username } : {}) };
  const after = await withFieldNames(CREATION_NAMES, directory.users.create(user));
  audit.wrote(call, "createUser", { user: username, after, ...(invite ? { invited: true } : {}) });
  return json(201, userBody(after));
}
