/** Writing of users inside a transaction: the record, its indexes, its removal. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { User } from "@svc-authorizer/policy/model/entities.ts";
import { alreadyExists, assertPossible, notFound } from "../checks.ts";
import type { UserChange } from "../directory.ts";
import type { NewUser } from "../new-entities.ts";
import type { StateReader } from "../read/reader.ts";
import type { Transaction } from "../write/transaction.ts";
import { generateId } from "./ids.ts";
import { emailKey, foldedKey, foldName, mark, type OwnerRecord, type UserRecord } from "./layout.ts";

/** The user of a name; "not_found" if there is none. */
export async function requireUser(from: Pick<StateReader, "get">, username: string): Promise<UserRecord> {
  assertPossible("user", username);
  const record = await from.get("user", username);
  if (record === undefined) throw notFound("user", username);
  return record;
}

/** As {@link requireUser}; "not_allowed" for a user that works for the service itself: nobody else acts as it. */
export async function requirePerson(from: Pick<StateReader, "get">, username: string): Promise<UserRecord> {
  const record = await requireUser(from, username);
  assertPerson(username, record);
  return record;
}

/** Throws "not_allowed" for a user that works for the service itself. */
export function assertPerson(username: string, record: Pick<UserRecord, "works_for"> | undefined): void {
  if (record?.works_for === undefined) return;
  const message = `the user ${JSON.stringify(username)} works for the service itself: nobody else can act as it`;
  throw new AuthorizerError("not_allowed", message);
}

/** True while the user that a record belongs to is the one that has the name now. */
export async function isOwned(from: Pick<StateReader, "get">, owner: OwnerRecord): Promise<boolean> {
  return (await from.get("user", owner.username))?.id === owner.id;
}

/** True while the user that a record belongs to has the name now and is active. */
export async function isInUse(from: Pick<StateReader, "get">, owner: OwnerRecord): Promise<boolean> {
  const user = await from.get("user", owner.username);
  return user?.id === owner.id && user.inactive !== true;
}

/** A record for a new or replaced user; empty texts count as absent. */
export function userRecord(
  given: NewUser,
  head: Pick<UserRecord, "id" | "creation_date" | "sessions_valid_after" | "works_for" | "origin"> & {
    readonly managed: boolean;
  },
): UserRecord {
  const user = head.works_for === undefined ? given : impersonal(given);
  return {
    id: head.id,
    ...mark(head.managed),
    creation_date: user.creation_date ?? head.creation_date,
    ...(user.friendly_name && { friendly_name: user.friendly_name }),
    ...(user.email && { email: user.email }),
    ...(user.source && { source: user.source }),
    ...(user.external_id && { external_id: user.external_id }),
    ...(user.inactive === true && { inactive: true }),
    ...(user.encryptedPassword && { encryptedPassword: user.encryptedPassword }),
    ...(user.properties && { properties: user.properties }),
    ...(head.sessions_valid_after !== undefined && { sessions_valid_after: head.sessions_valid_after }),
    ...(head.works_for !== undefined && { works_for: head.works_for }),
    ...(head.origin !== undefined && { origin: head.origin }),
  };
}

/** The fields of a user without those by which somebody could sign in as it. */
function impersonal({ username, creation_date, friendly_name, properties, inactive }: NewUser): NewUser {
  return {
    username,
    ...(inactive === true && { inactive }),
    ...(creation_date !== undefined && { creation_date }),
    ...(friendly_name !== undefined && { friendly_name }),
    ...(properties !== undefined && { properties }),
  };
}

/** A user's record with a change applied: undefined leaves a field, null or an empty text removes it. */
export function changedRecord(record: UserRecord, change: UserChange): UserRecord {
  const pick = <T>(before: T | undefined, after: T | null | undefined): T | undefined =>
    after === undefined ? before : (after ?? undefined);
  const fields = {
    friendly_name: pick(record.friendly_name, change.friendly_name),
    email: pick(record.email, change.email),
    source: record.source,
    external_id: record.external_id,
    inactive: change.inactive ?? record.inactive,
    encryptedPassword: pick(record.encryptedPassword, change.encryptedPassword),
    properties: pick(record.properties, change.properties),
  };
  const defined = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return userRecord({ username: "", ...defined }, { ...record, managed: record.managed === true });
}

/** Puts a user in place of what the name had, with its indexes; "already_exists" for another's external id. */
export async function putUser(
  tx: Transaction,
  username: string,
  before: UserRecord | undefined,
  after: UserRecord,
): Promise<void> {
  if (before?.external_id !== undefined && before.external_id !== after.external_id) {
    tx.delete("external_id", before.external_id);
  }
  if (after.external_id !== undefined)
    await takeExternalId(tx, after.external_id, { id: after.id, username });
  if (before?.email !== undefined && before.email !== after.email) {
    tx.delete("email", emailKey(before.email, username));
  }
  if (after.email !== undefined && before?.email !== after.email) {
    tx.put("email", emailKey(after.email, username), { id: after.id });
  }
  if (before?.id !== after.id) indexName(tx, username, after);
  tx.put("user", username, after);
  tx.changes.touch("user", after.id, username);
}

/** Puts a user's name into the index of names in any letter case. */
export function indexName(tx: Transaction, username: string, { id }: UserRecord): void {
  if (foldName(username) !== username) tx.put("folded_name", foldedKey(username), { id });
}

/** Takes a user's name out of the index of names in any letter case. */
export function removeName(tx: Transaction, username: string): void {
  if (foldName(username) !== username) tx.delete("folded_name", foldedKey(username));
}

async function takeExternalId(tx: Transaction, externalId: string, owner: OwnerRecord): Promise<void> {
  const taken = await tx.get("external_id", externalId);
  if (taken?.id === owner.id) return;
  if (taken !== undefined && (await isOwned(tx, taken))) throw alreadyExists("external id", externalId);
  tx.put("external_id", externalId, owner);
}

/**
 * Ends all sessions of a user. What this service issued is told by the record of sessions; what a data server issued by a
 * time, and two of them in one millisecond differ, so that nothing issued between them survives.
 * @returns the beginning of the next ones
 */
export function endSessions(tx: Transaction, username: string, record: UserRecord, nowMs: number): string {
  const sessions_valid_after = Math.max(nowMs, (record.sessions_valid_after ?? 0) + 1);
  tx.put("user", username, { ...record, sessions_valid_after });
  tx.changes.touch("user", record.id, username);
  return beginSessions(tx, record.id);
}

/** Makes a new beginning: what was issued before does not hold (spec/journal §5). */
function beginSessions(tx: Transaction, userId: string): string {
  const since = generateId();
  tx.put("session", userId, { since, strict: true });
  return since;
}

/** Removes a user: what refers to its id is unreachable with this commit and swept later. */
export function removeUser(tx: Transaction, username: string, record: UserRecord): void {
  if (record.external_id !== undefined) tx.delete("external_id", record.external_id);
  if (record.email !== undefined) tx.delete("email", emailKey(record.email, username));
  removeName(tx, username);
  tx.delete("user", username);
  tx.delete("session", record.id);
  tx.delete("password", record.id);
  tx.put("sweep", record.id, { kind: "user", name: username });
  tx.changes.touch("user", record.id, username);
}

/** A user as the contract shows it. */
export function toUser(username: string, record: UserRecord): User {
  const { id: _id, managed: _managed, ...rest } = record;
  const { sessions_valid_after: _mark, works_for: _work, origin: _origin, ...fields } = rest;
  return { username, ...fields };
}
