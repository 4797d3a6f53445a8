/** Writing of what belongs to exactly one user, inside a transaction: access keys and external principals. */

import { alreadyExists } from "../checks.ts";
import type { Transaction } from "../write/transaction.ts";
import { EMPTY, type KeyRecord, mark, type OwnerRecord, type UserRecord, under } from "./layout.ts";
import { SEALING } from "./sealing.ts";
import type { SecretBox } from "./secrets.ts";
import { endSessions, isOwned } from "./user-records.ts";

/** The owner of a key or principal, as written into its record. */
interface Owner {
  readonly id: string;
  readonly username: string;
}

/** An access key to be stored. */
export interface NewKey {
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly creation_date: number;
}

/** The record of an access key id, or undefined if it is free (also: its owner is gone). */
export async function liveKey(tx: Transaction, accessKeyId: string): Promise<KeyRecord | undefined> {
  const record = await tx.get("key", accessKeyId);
  return record !== undefined && (await isOwned(tx, record)) ? record : undefined;
}

/** Puts an access key of a user in place of what the id had. */
export async function putKey(
  tx: Transaction,
  secrets: SecretBox,
  owner: Owner,
  key: NewKey & { readonly managed: boolean },
): Promise<void> {
  const { access_key_id, secret_access_key, creation_date } = key;
  // The log says which key seals; a rotation in the meantime makes the write run again.
  const { key: sealing } = (await tx.get("meta", SEALING)) ?? {};
  const binding = { kind: "access_key", accessKeyId: access_key_id, userId: owner.id } as const;
  const secret = secrets.seal(secret_access_key, binding, sealing);
  const { id, username } = owner;
  tx.put("key", access_key_id, { id, username, ...mark(key.managed), creation_date, secret });
  tx.put("user_key", under(id, access_key_id), { creation_date });
  tx.changes.touch("user", id, username);
}

/** Removes an access key of a user, and ends the user's sessions (spec/security §4.4). */
export function removeKey(
  tx: Transaction,
  { username, user, nowMs }: { readonly username: string; readonly user: UserRecord; readonly nowMs: number },
  accessKeyId: string,
): void {
  tx.delete("key", accessKeyId);
  tx.delete("user_key", under(user.id, accessKeyId));
  endSessions(tx, username, user, nowMs);
}

/** The record of an external principal, or undefined if it is free (also: its owner is gone). */
async function livePrincipal(tx: Transaction, principal: string): Promise<OwnerRecord | undefined> {
  const record = await tx.get("principal", principal);
  return record !== undefined && (await isOwned(tx, record)) ? record : undefined;
}

/** Gives an external principal to a user; false if the user has it, "already_exists" where another has it. */
export async function putPrincipal(
  tx: Transaction,
  { id, username }: Owner,
  principal: string,
  managed: boolean,
): Promise<boolean> {
  const before = await livePrincipal(tx, principal);
  if (before !== undefined && before.id !== id) throw alreadyExists("external principal", principal);
  if (before === undefined || (managed && before.managed !== true)) {
    tx.put("principal", principal, { id, username, ...mark(managed) });
  }
  if (before !== undefined) return false;
  tx.put("user_principal", under(id, principal), EMPTY);
  tx.changes.touch("user", id, username);
  return true;
}

/** Takes an external principal from a user. */
export function removePrincipal(tx: Transaction, { id, username }: Owner, principal: string): void {
  tx.delete("principal", principal);
  tx.delete("user_principal", under(id, principal));
  tx.changes.touch("user", id, username);
}
