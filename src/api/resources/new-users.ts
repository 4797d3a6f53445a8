/** Creation of users, whom both APIs may also invite by mail. The mail is queued first and waits for the user. */

import type { NewUser } from "../../directory/directory.ts";
import { requireObject } from "../../http/body/json-body.ts";
import { RequestRefused } from "../../http/errors.ts";
import type { Reply } from "../../http/route.ts";
import type { DataServerParts } from "../data-server/declaration.ts";
import type { Invitations } from "../data-server/ports.ts";
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
  if (invite === true) {
    const problem = inviteProblem(user, parts.invitations);
    if (problem !== undefined) throw faulty("invite", problem);
    await parts.invitations?.invite({ username, email: user.email as string });
  }
  return create(call, parts, user, DATA_SERVER_NAMES, invite === true);
}

function inviteProblem(user: NewUser, invitations: Invitations | undefined): string | undefined {
  if (invitations === undefined)
    return "invitations need a mail server: set email.smtp_host, or create the user without";
  return user.email === undefined || user.email === "" ? "an invitation needs an email" : undefined;
}

/** Creates the user of a person's call. */
export async function createForPeople(call: RestCall, parts: ManagementParts): Promise<Reply> {
  const { username, invite } = creationOf(call);
  if (invite) await withFieldNames(NAMES, parts.invitations.invite({ username, email: username }));
  const user = { username, source: SOURCE, ...(invite ? { email: username } : {}) };
  return create(call, parts, user, NAMES, invite);
}

async function create(
  call: RestCall,
  { directory, audit, shapes }: RestParts,
  user: NewUser,
  names: ReadonlyMap<string, string>,
  invited: boolean,
): Promise<Reply> {
  const after = await withFieldNames(names, directory.users.create(user));
  audit.wrote(call, "createUser", { user: after.username, after, ...(invited ? { invited } : {}) });
  return json(201, shapes.user(after, call));
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
