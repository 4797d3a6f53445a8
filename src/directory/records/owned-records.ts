/** Writing of what belongs to exactly one user, inside a transaction: access keys and external principals. */

import type { Credential } from "@svc-authorizer/policy/model/entities.ts";
import { alreadyExists } from "../checks.ts";
import type { Transaction } from "../write/transaction.ts";
import {
  EMPTY,
  expiryKey,
  type KeyRecord,
  mark,
  type OwnerRecord,
  type UserKeyRecord,
  type UserRecord,
  under,
} from "./layout.ts";
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
  /** Unix seconds; undefined: it does not expire. */
  readonly expires_at?: number | undefined;
  /** True: no list has it. */
  readonly temporary?: boolean;
}

/**
 * True once an access key is over: for every reader it is as absent from that second on.
 * @param now Unix seconds
 */
export function isOver({ expires_at }: Pick<KeyRecord, "expires_at">, now: number): boolean {
  return expires_at !== undefined && expires_at <= now;
}

/** True if lists have a key. */
export function isListed(key: UserKeyRecord, now: number): boolean {
  return key.temporary !== true && !isOver(key, now);
}

/** The dates of a key, as the contract shows them. */
export function datesOf({
  creation_date,
  expires_at,
}: UserKeyRecord): Pick<Credential, "creation_date" | "expires_at"> {
  return { creation_date, ...(expires_at !== undefined && { expires_at }) };
}

/**
 * The record of an access key id, or undefined if it is free (also: its owner is gone, or it has expired).
 * @param now Unix seconds
 */
export async function liveKey(
  tx: Transaction,
  accessKeyId: string,
  now: number,
): Promise<KeyRecord | undefined> {
  const record = await tx.get("key", accessKeyId);
  if (record === undefined || isOver(record, now)) return undefined;
  return (await isOwned(tx, record)) ? record : undefined;
}

/** Puts an access key of a user in place of what the id had. */
export async function putKey(
  tx: Transaction,
  secrets: SecretBox,
  owner: Owner,
  key: NewKey & { readonly managed: boolean },
): Promise<void> {
  const { access_key_id, secret_access_key, creation_date, expires_at } = key;
  // The log says which key seals; a rotation in the meantime makes the write run again.
  const { key: sealing } = (await tx.get("meta", SEALING)) ?? {};
  const binding = { kind: "access_key", accessKeyId: access_key_id, userId: owner.id } as const;
  const secret = secrets.seal(secret_access_key, binding, sealing);
  const { id, username } = owner;
  const listed: UserKeyRecord = {
    creation_date,
    ...(expires_at !== undefined && { expires_at }),
    ...(key.temporary === true && { temporary: true }),
  };
  tx.put("key", access_key_id, { id, username, ...mark(key.managed), ...listed, secret });
  tx.put("user_key", under(id, access_key_id), listed);
  if (expires_at !== undefined) tx.put("key_expiry", expiryKey(expires_at, access_key_id), EMPTY);
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
