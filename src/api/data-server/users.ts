/** Users (authorization-api.md §7, operations 1 to 6 and 24). */

import type { NewUser, Page, PageRequest, Users } from "../../directory/directory.ts";
import { AuthorizerError } from "../../errors.ts";
import type { Parameter } from "../../http/openapi-types.ts";
import type { Query } from "../../http/query.ts";
import type { Reply } from "../../http/route.ts";
import type { User } from "../../model/entities.ts";
import { faulty, given } from "../rest/bodies.ts";
import { EXAMPLE_TIME, MAYBE_NO_STORE_HEADER, NO_STORE_HEADER, PAGING } from "../rest/declared.ts";
import { withFieldNames } from "../rest/field-names.ts";
import { BASE_PATH, json, NO_CONTENT, NO_STORE, param } from "../rest/operation.ts";
import { listReply } from "../rest/pages.ts";
import { groupBody } from "../rest/shapes.ts";
import type { ServiceCall } from "../service-caller.ts";
import {
  answerWith,
  answerWithPage,
  bodyOf,
  CREATE,
  type DataServerDeclaration,
  type DataServerParts,
  LIST,
  READ,
  REMOVE,
  REPLACE,
} from "./declaration.ts";
import { EXAMPLE_GROUP } from "./groups.ts";
import type { Invitations } from "./ports.ts";
import { userBody } from "./shapes.ts";

const USERS = `${BASE_PATH}/auth/users`;
const USER = `${USERS}/{userId}`;
const INTEGER = /^-?\d{1,19}$/;
/** Fields of the directory → fields of UserCreation. */
const CREATION_NAMES = new Map([["/friendly_name", "/friendlyName"]]);
const NO_USERS: Page<User> = { results: [], next_offset: "" };
const TAG = { tag: "users" } as const;
const EXAMPLE_USER = {
  username: "alice",
  creation_date: EXAMPLE_TIME,
  friendly_name: "Alice",
  email: "alice@example.com",
  source: "internal",
};

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
export const USER_OPERATIONS: readonly DataServerDeclaration[] = [
  {
    ...LIST,
    ...TAG,
    id: "listUsers",
    path: USERS,
    summary: "List or look up users",
    description: "All users, or those that a filter names exactly.",
    query: [...PAGING, ...LOOK_UP],
    answer: { ...answerWithPage("UserList", EXAMPLE_USER), headers: NO_STORE_HEADER },
    errors: [400],
    handler:
      ({ directory: { users } }) =>
      (call) =>
        listReply(
          call,
          (page) => found(users, page, call.query),
          (user) => userBody(user, call.caller),
          NO_STORE,
        ),
  },
  {
    ...CREATE,
    ...TAG,
    id: "createUser",
    path: USERS,
    summary: "Create a user",
    description: "With `invite: true` an invitation is sent to the e-mail address.",
    body: bodyOf("UserCreation", { username: "alice", email: "alice@example.com", friendlyName: "Alice" }),
    answer: { ...answerWith(201, "User", EXAMPLE_USER), headers: MAYBE_NO_STORE_HEADER },
    handler: (parts) => (call) => create(call, parts),
  },
  {
    ...READ,
    ...TAG,
    id: "getUser",
    path: USER,
    summary: "Get a user",
    description: "The encrypted password is part of the answer for tokens with scope `secrets` only.",
    priority: "hot",
    answer: { ...answerWith(200, "User", EXAMPLE_USER), headers: MAYBE_NO_STORE_HEADER },
    errors: [404],
    handler:
      ({ directory }) =>
      (call) =>
        getUser(call, directory.users),
  },
  {
    ...REMOVE,
    ...TAG,
    id: "deleteUser",
    path: USER,
    summary: "Delete a user",
    description: "Its credentials, memberships, attachments and external principals go with it.",
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
    body: bodyOf("PasswordUpdate", { encryptedPassword: "aGFzaA==" }),
    answer: { status: 200, description: "Done." },
    handler: (parts) => (call) => setPassword(call, parts),
  },
  {
    ...REPLACE,
    ...TAG,
    id: "updateUserFriendlyName",
    path: `${USER}/friendly_name`,
    summary: "Set the friendly name",
    description: "The friendly name is shown to people; the user is still named by its username.",
    body: bodyOf("FriendlyNameUpdate", { friendly_name: "Alice" }),
    answer: { status: 204, description: "Done." },
    handler: (parts) => (call) => setFriendlyName(call, parts),
  },
  {
    ...LIST,
    ...TAG,
    id: "listUserGroups",
    path: `${USER}/groups`,
    summary: "List the groups of a user",
    description: "The groups that the user is a member of.",
    answer: answerWithPage("GroupList", EXAMPLE_GROUP),
    handler:
      ({ directory: { users } }) =>
      (call) =>
        listReply(call, (page) => users.groups(param(call, 0), page), groupBody),
  },
];

async function getUser(call: ServiceCall, users: Users): Promise<Reply> {
  const user = await users.get(param(call, 0));
  return json(200, userBody(user, call.caller), user.encryptedPassword === undefined ? undefined : NO_STORE);
}

/** Filters are exact and never ignored: a look-up that matches too much would be somebody else's account. */
async function found(users: Users, page: Required<PageRequest>, query: Query): Promise<Page<User>> {
  const id = query.get("id");
  if (id !== undefined) {
    if (id !== "" && !INTEGER.test(id))
      throw new AuthorizerError("invalid_request", "id: must be a whole number");
    // Users have no numbers.
    return NO_USERS;
  }
  const email = query.get("email");
  const external_id = query.get("external_id");
  if (external_id === undefined) return users.list(page, email === undefined ? {} : { email });
  const list = await users.list(page, { external_id });
  return email === undefined
    ? list
    : { ...list, results: list.results.filter((user) => user.email === email) };
}

/** The body of `createUser`, after its shape was validated. */
interface UserCreation {
  readonly username: string;
  readonly email?: string | null;
  readonly friendlyName?: string | null;
  readonly source?: string | null;
  readonly external_id?: string | null;
  readonly encryptedPassword?: string | null;
  readonly invite?: boolean | null;
}

async function create(call: ServiceCall, parts: DataServerParts): Promise<Reply> {
  const { directory, audit, invitations } = parts;
  const { username, email, friendlyName, source, external_id, encryptedPassword, invite } =
    call.body as UserCreation;
  const optional = { email, friendly_name: friendlyName, source, external_id, encryptedPassword };
  const user: NewUser = { username, ...given(optional) };
  if (invite === true) {
    const problem = inviteProblem(user, invitations);
    if (problem !== undefined) throw faulty("invite", problem);
    // The mail is queued first and waits for the user: no user is created whose invitation was lost.
    await invitations?.invite({ username, email: user.email as string });
  }
  const created = await withFieldNames(CREATION_NAMES, directory.users.create(user));
  audit.wrote(call, "createUser", {
    user: created.username,
    after: created,
    ...(invite === true ? { invited: true } : {}),
  });
  return json(201, userBody(created, call.caller));
}

function inviteProblem(user: NewUser, invitations: Invitations | undefined): string | undefined {
  if (invitations === undefined)
    return "invitations need a mail server: set email.smtp_host, or create the user without";
  return user.email === undefined || user.email === "" ? "an invitation needs an email" : undefined;
}

async function setPassword(call: ServiceCall, { directory, audit }: DataServerParts): Promise<Reply> {
  const { encryptedPassword } = call.body as { readonly encryptedPassword: string };
  const { username } = await directory.users.update(param(call, 0), { encryptedPassword });
  audit.wrote(call, "updatePassword", { user: username });
  return { status: 200 };
}

async function setFriendlyName(call: ServiceCall, { directory, audit }: DataServerParts): Promise<Reply> {
  const { friendly_name } = call.body as { readonly friendly_name: string };
  const before = await directory.users.get(param(call, 0));
  const after = await directory.users.update(before.username, { friendly_name });
  audit.wrote(call, "updateUserFriendlyName", { user: before.username, before, after });
  return NO_CONTENT;
}
