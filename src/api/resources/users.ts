/** Users (spec/authorization-api §7, operations 1 to 6 and 24; spec/permissions §12). */

import type { Parameter } from "../../http/openapi/openapi-types.ts";
import type { Reply } from "../../http/route.ts";
import { addsLastUse, LAST_USED } from "../management/last-used.ts";
import { decidedOnNewName } from "../management/permissions/new-names.ts";
import { MAYBE_NO_STORE_HEADER, NO_STORE_HEADER, PAGING } from "../rest/declared.ts";
import { one, page } from "../rest/examples.ts";
import type { RestCall } from "../rest/grants.ts";
import { json, NO_CONTENT, NO_STORE, param } from "../rest/operation.ts";
import { CREATE, LIST, READ, REMOVE, REPLACE } from "../rest/operation-kinds.ts";
import { listReply } from "../rest/pages.ts";
import type { RestParts } from "../rest/parts.ts";
import { groupBody } from "../rest/shapes.ts";
import { createForDataServer, createForPeople, creationOf, type UserCreation } from "./new-users.ts";
import type { ResourceOperation } from "./operation.ts";
import { foundUsers } from "./user-filters.ts";

const USERS = "/auth/users";
const USER = `${USERS}/{userId}`;
const TAG = { tag: "users" } as const;
const MISSING = { missing: "user not found" } as const;

function exactly(name: string, what: string): Parameter {
  return {
    name,
    in: "query",
    description: `Only the user with exactly this ${what}; an empty one matches no user.`,
    schema: { type: "string" },
  };
}

const LOOK_UP: readonly Parameter[] = [
  {
    name: "id",
    in: "query",
    description: "Users have no numbers: with it, no user is found.",
    schema: { type: "integer" },
  },
  exactly("email", "e-mail address"),
  exactly("external_id", "external id"),
];

/** The operations. */
export const USER_OPERATIONS: readonly ResourceOperation[] = [
  {
    ...LIST,
    ...TAG,
    id: "listUsers",
    path: USERS,
    summary: "List users",
    description: "All users, in the order of their names.",
    answer: page("UserList", "User"),
    errors: [400],
    dataServer: {
      summary: "List or look up users",
      description: "All users, or those that a filter names exactly.",
      query: [...PAGING, ...LOOK_UP],
      answerHeaders: NO_STORE_HEADER,
    },
    management: { query: [...PAGING, LAST_USED] },
    handler: {
      dataServer:
        ({ directory: { users }, shapes }) =>
        (call) =>
          listReply(
            call,
            (asked) => foundUsers(users, asked, call.query),
            (user) => shapes.user(user, call),
            { headers: NO_STORE },
          ),
      management:
        ({ directory: { users }, shapes, usage }) =>
        (call) =>
          listReply(
            call,
            (asked) => users.list(asked),
            (user) => shapes.user(user, call),
            { adds: addsLastUse(call.query, usage, "user", "id") },
          ),
    },
  },
  {
    ...CREATE,
    ...TAG,
    id: "createUser",
    path: USERS,
    summary: "Create a user",
    description: "With `invite: true` an invitation is sent to the e-mail address.",
    answer: one(201, "User"),
    dataServer: {
      body: {
        schema: "UserCreation",
        example: { username: "alice", email: "alice@example.com", friendlyName: "Alice" },
      },
      answerHeaders: MAYBE_NO_STORE_HEADER,
      names: ({ body }) => ({ user: (body as UserCreation).username }),
    },
    management: {
      names: (call) => ({ user: creationOf(call).username }),
      summary: "Create a user, or invite one by mail",
      description:
        "With `invite_user` the id is an e-mail address, and a mail with a link to an access key is sent there.",
      body: { schema: "UserCreation", example: { id: "alice", invite_user: false } },
      ...decidedOnNewName("User", (call) => creationOf(call).username),
    },
    handler: {
      dataServer: (parts) => (call) => createForDataServer(call, parts),
      management: (parts) => (call) => createForPeople(call, parts),
    },
  },
  {
    ...READ,
    ...TAG,
    id: "getUser",
    path: USER,
    summary: "Get a user",
    description: "The user without its groups and policies, which have lists of their own.",
    answer: one(200, "User"),
    dataServer: {
      description: "The encrypted password is part of the answer for tokens with scope `secrets` only.",
      priority: "hot",
      answerHeaders: MAYBE_NO_STORE_HEADER,
    },
    management: MISSING,
    handler: (parts) => (call) => get(call, parts),
  },
  {
    ...REMOVE,
    ...TAG,
    id: "deleteUser",
    path: USER,
    summary: "Delete a user",
    description: "Its access keys, memberships, attachments and external principals go with it.",
    dataServer: {
      description: "Its credentials, memberships, attachments and external principals go with it.",
    },
    management: MISSING,
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
    ...REPLACE,
    ...TAG,
    id: "updatePassword",
    path: `${USER}/password`,
    summary: "Set the encrypted password",
    description: "The service stores the bytes and never looks into them.",
    body: { schema: "PasswordUpdate", example: { encryptedPassword: "aGFzaA==" } },
    answer: { status: 200, description: "Done." },
    handler: { dataServer: (parts) => (call) => setPassword(call, parts) },
  },
  {
    ...REPLACE,
    ...TAG,
    id: "updateUserFriendlyName",
    path: `${USER}/friendly_name`,
    summary: "Set the friendly name",
    description: "The friendly name is shown to people; the user is still named by its username.",
    body: { schema: "FriendlyNameUpdate", example: { friendly_name: "Alice" } },
    answer: { status: 204, description: "Done." },
    handler: { dataServer: (parts) => (call) => setFriendlyName(call, parts) },
  },
  {
    ...LIST,
    ...TAG,
    id: "listUserGroups",
    path: `${USER}/groups`,
    summary: "List the groups of a user",
    description: "The groups that the user is a member of.",
    answer: page("GroupList", "Group"),
    handler:
      ({ directory: { users } }) =>
      (call) =>
        listReply(call, (asked) => users.groups(param(call, 0), asked), groupBody),
  },
];

async function get(call: RestCall, { directory, shapes }: RestParts): Promise<Reply> {
  const user = await directory.users.get(param(call, 0));
  return json(
    200,
    shapes.user(user, call),
    user.encryptedPassword === undefined ? undefined : shapes.usersHeaders,
  );
}

async function setPassword(call: RestCall, { directory, audit }: RestParts): Promise<Reply> {
  const { encryptedPassword } = call.body as { readonly encryptedPassword: string };
  const { username } = await directory.users.update(param(call, 0), { encryptedPassword });
  audit.wrote(call, "updatePassword", { user: username });
  return { status: 200 };
}

async function setFriendlyName(call: RestCall, { directory, audit }: RestParts): Promise<Reply> {
  const { friendly_name } = call.body as { readonly friendly_name: string };
  const before = await directory.users.get(param(call, 0));
  const after = await directory.users.update(before.username, { friendly_name });
  audit.wrote(call, "updateUserFriendlyName", { user: before.username, before, after });
  return NO_CONTENT;
}
