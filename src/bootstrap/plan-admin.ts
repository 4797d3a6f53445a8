/** Plans the first administrator of mode external (spec/decision-api §1.4). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { BatchOperation, MarkedState } from "../directory/batch.ts";
import { ADMINS } from "../directory/write/set-up-mark.ts";
import type { AdminFile } from "./admin-file.ts";

const DEFAULT_USERNAME = "admin";
/** The source of users in a data server's own set-up. */
const SOURCE = "internal";

/** `authorizer.bootstrap_admin.*`; key id and secret are given together. */
export interface AdminSettings {
  readonly username?: string | undefined;
  readonly access_key_id?: string | undefined;
  readonly secret_access_key?: string | undefined;
}

/** The planned administrator. */
export interface AdminPlan {
  readonly operations: readonly BatchOperation[];
  readonly username: string;
  /** Undefined if the user keeps their keys. */
  readonly access_key_id: string | undefined;
  /** Path of the file with the generated secret. */
  readonly file: string | undefined;
}

/**
 * Plans the administrator. Returns undefined if no name is configured and `Admins` has a member.
 * @throws AuthorizerError "invalid_request" if the name or key belongs to another user
 */
export async function planAdmin(
  settings: AdminSettings,
  file: AdminFile,
  state: MarkedState,
): Promise<AdminPlan | undefined> {
  const isNamed = settings.username !== undefined;
  if (!isNamed && (await state.someMember(ADMINS)) !== undefined) return undefined;
  const username = settings.username ?? DEFAULT_USERNAME;
  const isNew = (await state.user(username)) === undefined;
  if (!isNew && !isNamed) {
    const message = `a user ${DEFAULT_USERNAME} exists and is in no group ${ADMINS}: name the first administrator with authorizer.bootstrap_admin.username`;
    throw new AuthorizerError("invalid_request", message);
  }
  const operations: BatchOperation[] = [
    ...(isNew ? [{ op: "put_user", user: { username, source: SOURCE } } as const] : []),
    { op: "add_member", group: ADMINS, username },
  ];
  const { access_key_id, secret_access_key } = settings;
  if (access_key_id !== undefined && secret_access_key !== undefined) {
    const owner = await state.keyOwner(access_key_id);
    if (owner !== undefined && owner !== username) {
      const message = "authorizer.bootstrap_admin.access_key_id: the key belongs to another user";
      throw new AuthorizerError("invalid_request", message);
    }
    if (owner === undefined) {
      operations.push({ op: "put_credential", username, access_key_id, secret_access_key });
    }
    return { operations, username, access_key_id, file: undefined };
  }
  if (!isNew) return { operations, username, access_key_id: undefined, file: undefined };
  const made = await file.take(username);
  operations.push({ op: "put_credential", ...made });
  return { operations, username, access_key_id: made.access_key_id, file: file.path };
}
