/** Writing of groups and memberships inside a transaction. */

import type { Group } from "@svc-authorizer/policy/model/entities.ts";
import { assertPossible, notFound } from "../checks.ts";
import type { StateReader } from "../read/reader.ts";
import type { Transaction } from "../write/transaction.ts";
import { type GroupRecord, mark, under } from "./layout.ts";

/** The group of a name; "not_found" if there is none. */
export async function requireGroup(from: Pick<StateReader, "get">, name: string): Promise<GroupRecord> {
  assertPossible("group", name);
  const record = await from.get("group", name);
  if (record === undefined) throw notFound("group", name);
  return record;
}

/** Puts a group in place of what the name had. */
export function putGroup(tx: Transaction, name: string, record: GroupRecord): void {
  tx.put("group", name, record);
  tx.changes.touch("group", record.id, name);
}

/** Removes a group: what refers to its id is unreachable with this commit and swept later. */
export function removeGroup(tx: Transaction, name: string, record: GroupRecord): void {
  tx.delete("group", name);
  tx.put("sweep", record.id, { kind: "group", name });
  tx.changes.touch("group", record.id, name);
}

/** A user and a group with their names. */
interface MembershipEnds {
  readonly group: string;
  readonly groupId: string;
  readonly username: string;
  readonly userId: string;
}

/**
 * Adds a member; false if it is one already. A membership that claims of an issuer made is taken over: they no longer end it.
 * @param by name of the issuer whose claims make it
 */
export async function putMember(
  tx: Transaction,
  ends: MembershipEnds,
  managed: boolean,
  by?: string,
): Promise<boolean> {
  const key = under(ends.userId, ends.group);
  const before = await tx.get("user_group", key);
  const isNew = before?.id !== ends.groupId;
  const isTakenOver = !isNew && by === undefined && before.by !== undefined;
  if (isNew || isTakenOver || (managed && before.managed !== true)) {
    tx.put("user_group", key, {
      id: ends.groupId,
      ...mark(managed),
      ...(isNew && by !== undefined && { by }),
    });
  }
  if (!isNew) return isTakenOver;
  tx.put("group_user", under(ends.groupId, ends.username), { id: ends.userId });
  touchMembership(tx, ends);
  return true;
}

/** Removes a member, if it is one. */
export async function removeMember(tx: Transaction, ends: MembershipEnds): Promise<void> {
  const key = under(ends.userId, ends.group);
  const before = await tx.get("user_group", key);
  if (before?.id !== ends.groupId) return;
  tx.delete("user_group", key);
  tx.delete("group_user", under(ends.groupId, ends.username));
  touchMembership(tx, ends);
}

function touchMembership(tx: Transaction, { userId, username, group }: MembershipEnds): void {
  tx.changes.touch("user", userId, username);
  tx.changes.mention("group", group);
}

/** A group as the contract shows it. */
export function toGroup(name: string, { description, creation_date }: GroupRecord): Group {
  return { name, creation_date, ...(description !== undefined && { description }) };
}
