/** Users (authorization-api.md §7, operations 1 to 6 and 24). */

import type { Directory, NewUser, Page, PageRequest, Users } from "../../directory/directory.ts";
import { AuthorizerError } from "../../errors.ts";
import type { Query } from "../../http/query.ts";
import type { Reply } from "../../http/route.ts";
import type { User } from "../../model/entities.ts";
import { BodyFields, withFieldNames } from "../rest/body-fields.ts";
import { json, NO_CONTENT, NO_STORE, param } from "../rest/operation.ts";
import { listReply } from "../rest/pages.ts";
import { groupBody } from "../rest/shapes.ts";
import { type Operation, type OperationCall, readOperation, writeOperation } from "./operation.ts";
import type { Invitations } from "./ports.ts";
import { isBase64, userBody } from "./shapes.ts";
import type { CallAudit } from "./write-audit.ts";

const INTEGER = /^-?\d{1,19}$/;
/** Fields of the directory → fields of UserCreation. */
const CREATION_NAMES = new Map([["/friendly_name", "/friendlyName"]]);
const NO_USERS: Page<User> = { results: [], next_offset: "" };

/** What the operations on users need. */
export interface UserParts {
  readonly directory: Directory;
  readonly audit: CallAudit;
  /** Absent where no mail can be sent. */
  readonly invitations?: Invitations | undefined;
}

/** The operations. */
export function userOperations({ directory, audit, invitations }: UserParts): readonly Operation[] {
  const { users } = directory;
  return [
    readOperation("listUsers", "/auth/users", (call) =>
      listReply(
        call,
        (page) => found(users, page, call.query),
        (user) => userBody(user, call.caller),
        NO_STORE,
      ),
    ),
    writeOperation(
      "createUser",
      "POST",
      "/auth/users",
      (call) => create(call, { directory, audit, invitations }),
      true,
    ),
    readOperation("getUser", "/auth/users/{userId}", (call) => getUser(call, users), true),
    writeOperation("deleteUser", "DELETE", "/auth/users/{userId}", async (call) => {
      const before = await users.get(param(call, 0));
      await users.delete(before.username);
      audit.wrote(call, "deleteUser", { user: before.username, before });
      return NO_CONTENT;
    }),
    writeOperation(
      "updatePassword",
      "PUT",
      "/auth/users/{userId}/password",
      (call) => setPassword(call, users, audit),
      true,
    ),
    writeOperation(
      "updateUserFriendlyName",
      "PUT",
      "/auth/users/{userId}/friendly_name",
      (call) => setFriendlyName(call, users, audit),
      true,
    ),
    readOperation("listUserGroups", "/auth/users/{userId}/groups", (call) =>
      listReply(call, (page) => users.groups(param(call, 0), page), groupBody),
    ),
  ];
}

async function getUser(call: OperationCall, users: Users): Promise<Reply> {
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

async function create(call: OperationCall, { directory, audit, invitations }: UserParts): Promise<Reply> {
  const fields = new BodyFields(call.body);
  const invite = fields.flag("invite");
  const user = newUser(fields);
  if (invite) fields.check("invite", inviteProblem(user, invitations));
  fields.finish();
  // The mail is queued first and waits for the user: nobody exists whose invitation was lost.
  if (invite) await invitations?.invite({ username: user.username, email: user.email as string });
  const created = await withFieldNames(CREATION_NAMES, directory.users.create(user));
  audit.wrote(call, "createUser", {
    user: created.username,
    after: created,
    ...(invite ? { invited: true } : {}),
  });
  return json(201, userBody(created, call.caller));
}

function newUser(fields: BodyFields): NewUser {
  const optional = {
    email: fields.optionalText("email"),
    friendly_name: fields.optionalText("friendlyName"),
    source: fields.optionalText("source"),
    external_id: fields.optionalText("external_id"),
    encryptedPassword: fields.optionalText("encryptedPassword"),
  };
  fields.check("encryptedPassword", passwordProblem(optional.encryptedPassword));
  const given = Object.entries(optional).filter(([, value]) => value !== undefined);
  return { username: fields.text("username"), ...Object.fromEntries(given) };
}

function passwordProblem(password: string | undefined): string | undefined {
  return password === undefined || isBase64(password) ? undefined : "expected base64";
}

function inviteProblem(user: NewUser, invitations: Invitations | undefined): string | undefined {
  if (invitations === undefined)
    return "invitations need a mail server: set email.smtp_host, or create the user without";
  return user.email === undefined || user.email === "" ? "an invitation needs an email" : undefined;
}

async function setPassword(call: OperationCall, users: Users, audit: CallAudit): Promise<Reply> {
  const fields = new BodyFields(call.body);
  const encryptedPassword = fields.text("encryptedPassword");
  fields.check("encryptedPassword", passwordProblem(encryptedPassword));
  fields.finish();
  const { username } = await users.update(param(call, 0), { encryptedPassword });
  audit.wrote(call, "updatePassword", { user: username });
  return { status: 200 };
}

async function setFriendlyName(call: OperationCall, users: Users, audit: CallAudit): Promise<Reply> {
  const fields = new BodyFields(call.body);
  const friendly_name = fields.text("friendly_name");
  fields.finish();
  const before = await users.get(param(call, 0));
  const after = await users.update(before.username, { friendly_name });
  audit.wrote(call, "updateUserFriendlyName", { user: before.username, before, after });
  return NO_CONTENT;
}
