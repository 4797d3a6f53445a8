/** Renaming of users and groups inside a transaction: the id stays, so that everything that refers to it stays too. */

import { alreadyExists } from "../checks.ts";
import type { StateReader } from "../read/reader.ts";
import type { Transaction } from "../write/transaction.ts";
import {
  emailKey,
  type GroupRecord,
  type Partition,
  type RecordTypes,
  splitKey,
  type UserRecord,
  under,
} from "./layout.ts";
import { indexName, removeName } from "./user-records.ts";

type Keys<P extends Partition> = { readonly key: string; readonly record: RecordTypes[P] };

async function allUnder<P extends Partition>(
  from: StateReader,
  partition: P,
  id: string,
): Promise<Keys<P>[]> {
  const found: Keys<P>[] = [];
  for await (const page of from.scanAll(partition, under(id, ""))) found.push(...page);
  return found;
}

/** Gives a user another name; "already_exists" if it is taken. */
export async function renameUser(
  tx: Transaction,
  before: string,
  after: string,
  record: UserRecord,
): Promise<void> {
  if ((await tx.get("user", after)) !== undefined) throw alreadyExists("user", after);
  const { id, external_id, email } = record;
  removeName(tx, before);
  indexName(tx, after, record);
  tx.delete("user", before);
  tx.put("user", after, record);
  if (external_id !== undefined) tx.put("external_id", external_id, { id, username: after });
  if (email !== undefined) {
    tx.delete("email", emailKey(email, before));
    tx.put("email", emailKey(email, after), { id });
  }
  for (const { record: group } of await allUnder(tx, "user_group", id)) {
    const ref = await tx.get("group_user", under(group.id, before));
    if (ref?.id !== id) continue;
    tx.delete("group_user", under(group.id, before));
    tx.put("group_user", under(group.id, after), ref);
  }
  for (const [own, owner] of [
    ["user_key", "key"],
    ["user_principal", "principal"],
  ] as const) {
    for (const { key } of await allUnder(tx, own, id)) {
      const name = splitKey(key).rest;
      const owned = await tx.get(owner, name);
      if (owned?.id === id) tx.put(owner, name, { ...owned, username: after } as never);
    }
  }
  tx.changes.touch("user", id, before);
  tx.changes.touch("user", id, after);
}

/** Gives a group another name; "already_exists" if it is taken. */
export async function renameGroup(
  tx: Transaction,
  before: string,
  after: string,
  record: GroupRecord,
): Promise<void> {
  if ((await tx.get("group", after)) !== undefined) throw alreadyExists("group", after);
  const { id } = record;
  tx.delete("group", before);
  tx.put("group", after, record);
  for (const { key, record: user } of await allUnder(tx, "group_user", id)) {
    const ref = await tx.get("user_group", under(user.id, before));
    if (ref?.id !== id) continue;
    tx.delete("user_group", under(user.id, before));
    tx.put("user_group", under(user.id, after), ref);
    tx.changes.touch("user", user.id, splitKey(key).rest);
  }
  tx.changes.touch("group", id, before);
  tx.changes.touch("group", id, after);
}
