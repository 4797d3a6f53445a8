/** Creation of users, whom both APIs may also invite by mail. The mail is queued first and waits for the user. */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import type { NewUser } from "../../directory/directory.ts";
import { requireObject } from "../../http/body/json-body.ts";
import { RequestRefused } from "../../http/errors.ts";
import type { Reply } from "../../http/route.ts";
import type { DataServerParts } from "../data-server/declaration.ts";
import type { Invitations, QueuedInvitation } from "../data-server/ports.ts";
import type { ManagementParts } from "../management/declaration.ts";
import { nameIn } from "../management/permissions/new-names.ts";
import { faulty, given } from "../rest/bodies.ts";
import { withFieldNames } from "../rest/field-names.ts";
import type { RestCall } from "../rest/grants.ts";
import { json } from "../rest/operation.ts";
import type { RestParts } from "../rest/parts.ts";

/** Fields of the directory → fields of a data server's UserCreation. */
const DATA_SERVER_NAMES = new Map([["/friendly_name", "/friendlyName"]]);
/** Fields of the directory → fields of the body of people. */
const NAMES = new Map([
  ["/username", "/id"],
  ["/email", "/id"],
]);
/** The source that a data server writes for users of its own. */
const SOURCE = "internal";
const ADDRESS = /^[^\s<>@]+@[^\s<>@]+$/;

/** The body of a data server, after its shape was validated. */
export interface UserCreation {
  readonly username: string;
  readonly email?: string | null;
  readonly friendlyName?: string | null;
  readonly source?: string | null;
  readonly external_id?: string | null;
  readonly encryptedPassword?: string | null;
  readonly invite?: boolean | null;
}

/** Creates the user of a data server's call. */
export async function createForDataServer(call: RestCall, parts: DataServerParts): Promise<Reply> {
  const { username, email, friendlyName, source, external_id, encryptedPassword, invite } =
    call.body as UserCreation;
  const optional = { email, friendly_name: friendlyName, source, external_id, encryptedPassword };
  const user: NewUser = { username, ...given(optional) };
  if (invite !== true) return create(call, parts, user, DATA_SERVER_NAMES);
  const problem = inviteProblem(user, parts.invitations);
  if (problem !== undefined) throw faulty("invite", problem);
  const invitation = await parts.invitations?.invite({ username, email: user.email as string });
  return create(call, parts, user, DATA_SERVER_NAMES, invitation);
}

function inviteProblem(user: NewUser, invitations: Invitations | undefined): string | undefined {
  if (invitations === undefined)
    return "invitations need a mail server: set email.smtp_host, or create the user without";
  return user.email === undefined || user.email === "" ? "an invitation needs an email" : undefined;
}

/** Creates the user of a person's call. */
export async function createForPeople(call: RestCall, parts: ManagementParts): Promise<Reply> {
  const { username, invite } = creationOf(call);
  if (!invite) return create(call, parts, { username, source: SOURCE }, NAMES);
  const invited = parts.invitations.invite({ username, email: username });
  const invitation = await withFieldNames(NAMES, invited);
  return create(call, parts, { username, source: SOURCE, email: username }, NAMES, invitation);
}

async function create(
  call: RestCall,
  { directory, audit, shapes }: RestParts,
  user: NewUser,
  names: ReadonlyMap<string, string>,
  invitation?: QueuedInvitation,
): Promise<Reply> {
  const created = withFieldNames(names, directory.users.create(user, invitation?.userId));
  const after = await (invitation === undefined ? created : orWithdraw(invitation, created));
  audit.wrote(call, "createUser", { user: after.username, after, ...(invitation && { invited: true }) });
  const headers = after.encryptedPassword === undefined ? undefined : shapes.usersHeaders;
  return json(201, shapes.user(after, call), headers);
}

/** A user of the name and address whom somebody else creates gets no link from who could not. */
async function orWithdraw<T>(invitation: QueuedInvitation, created: Promise<T>): Promise<T> {
  try {
    return await created;
  } catch (error) {
    // Where nobody knows whether there is a user, the mail finds out.
    if (!isErrorCode(error, "outcome_unknown")) await invitation.withdraw().catch(() => {});
    throw error;
  }
}

interface Creation {
  /** In lower case for a user who is invited. */
  readonly username: string;
  readonly invite: boolean;
}

/** Returns the user that a person's call is to create; throws 400 for a text that cannot be its name. */
export function creationOf({ body }: Pick<RestCall, "body">): Creation {
  const { id, invite_user: invite } = requireObject(body);
  const username = nameIn(id, "User");
  if (invite !== true) return { username, invite: false };
  if (!ADDRESS.test(username)) throw new RequestRefused(400, "Invalid email format");
  return { username: username.toLowerCase(), invite };
}
