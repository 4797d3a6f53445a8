/**
 * The durable mark that the set-up is done (spec/security §6.2). It is in the commit that first gives anybody a way to sign in
 * as an administrator, whatever made that commit, and never follows from what is there later.
 */

import { splitKey, under } from "../records/layout.ts";
import { isInUse } from "../records/user-records.ts";
import { markKey } from "./marked-state.ts";
import type { Transaction } from "./transaction.ts";

/** Name of the mark. */
export const SETUP_MARK = "setup";
/** Name of the group of administrators. */
export const ADMINS = "Admins";

const FORMAT = 1;
/** Partitions that make administrators, or ways to sign in. */
const WAYS = ["group_user", "key", "principal", "password", "user"] as const;

/** The mark that a named administrator leaves. */
export function setupMark(username: string): { readonly format: number; readonly username: string } {
  return { format: FORMAT, username };
}

/** Puts the mark into a transaction after which an administrator can sign in. */
export async function markAdministrator(tx: Transaction): Promise<void> {
  if (WAYS.some((partition) => tx.written(partition).length > 0)) await markAnyAdministrator(tx);
}

/** As {@link markAdministrator}, whatever the transaction wrote. */
export async function markAnyAdministrator(tx: Transaction): Promise<void> {
  if ((await tx.get("meta", markKey(SETUP_MARK))) !== undefined) return;
  const username = await someAdministrator(tx);
  if (username !== undefined) tx.put("meta", markKey(SETUP_MARK), { mark: setupMark(username) });
}

/** Name of an active member of {@link ADMINS} with an access key, a principal or a password; undefined if there is none. */
export async function someAdministrator(tx: Transaction): Promise<string | undefined> {
  const group = await tx.get("group", ADMINS);
  if (group === undefined) return undefined;
  for await (const key of keysBelow(tx, "group_user", under(group.id, ""))) {
    const member = await tx.get("group_user", key);
    const username = splitKey(key).rest;
    if (member === undefined || !(await isInUse(tx, { id: member.id, username }))) continue;
    if ((await tx.get("password", member.id)) !== undefined) return username;
    for (const partition of ["user_key", "user_principal"] as const) {
      for await (const way of keysBelow(tx, partition, under(member.id, ""))) {
        if ((await tx.get(partition, way)) !== undefined) return username;
      }
    }
  }
  return undefined;
}

/** Keys below a prefix: those of the state, and those that the transaction wrote; some may be deleted by it. */
async function* keysBelow(
  tx: Transaction,
  partition: "group_user" | "user_key" | "user_principal",
  prefix: string,
): AsyncGenerator<string> {
  for (const key of tx.written(partition)) if (key.startsWith(prefix)) yield key;
  for await (const page of tx.scanAll(partition, prefix)) for (const { key } of page) yield key;
}
