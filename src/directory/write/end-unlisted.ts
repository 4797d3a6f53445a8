/** Ends what nobody sees in lists of access keys: the sessions of a user, and the keys that were issued for tokens. */

import { TEMPORARY_PREFIX } from "../records/generated-keys.ts";
import { splitKey, type UserRecord, under } from "../records/layout.ts";
import { endSessions } from "../records/user-records.ts";
import type { Transaction } from "./transaction.ts";

/**
 * Ends all sessions of a user, as for one who becomes inactive, and the access keys that were issued for tokens of identity
 * providers: no list has them, so that nobody could take them back afterwards, and they give new sessions. Other keys stay. Those
 * of a user that works for the service itself are renewed by that work.
 */
export async function endUnlisted(
  tx: Transaction,
  username: string,
  record: UserRecord,
  nowMs: number,
): Promise<void> {
  endSessions(tx, username, record, nowMs);
  if (record.works_for !== undefined) return;
  for await (const page of tx.scanAll("user_key", under(record.id, TEMPORARY_PREFIX))) {
    for (const { key, record: listed } of page) {
      if (listed.temporary !== true) continue;
      tx.delete("key", splitKey(key).rest);
      tx.delete("user_key", key);
    }
  }
}
