/** Forgets what was revoked since a backup was made, and nothing that the backup knows as revoked (spec/journal §4.12). */

import { existsSync, rmSync } from "node:fs";
import { RENAMED, stateOf } from "../../directory/revocations/revoked-records.ts";
import type { LogPlace, RevokedRecord } from "../../store/local/revocation-lines.ts";
import { type Snapshot, withSnapshot } from "../../store/port.ts";

/**
 * Writes the file of revocations as it was when a backup was made.
 * @param path of the file
 * @param folder the unpacked backup
 * @param head its newest entry
 */
export async function forgetSince(path: string, folder: string, head: LogPlace): Promise<void> {
  if (!existsSync(path)) return;
  const { openRevocationFile } = await import("../../store/local/revocation-file.ts");
  const known = openRevocationFile({ path });
  rmSync(path);
  if (known.place?.log !== head.log) return;
  const records = await asOf(folder, head.revision, known.records());
  const file = openRevocationFile({ path });
  await file.note(head, records);
  await file.close();
}

/** The newest state of each thing is known: of what was written since, the backup has the one before. */
async function asOf(
  folder: string,
  revision: number,
  records: readonly RevokedRecord[],
): Promise<readonly RevokedRecord[]> {
  const { openLocalStoreReadOnly } = await import("../../store/local/local-store.ts");
  const past = await openLocalStoreReadOnly(folder);
  try {
    return await withSnapshot(past, async (snapshot) => {
      const kept: RevokedRecord[] = [];
      for (const record of records) {
        if (record.revision <= revision) kept.push(record);
        else if (record.partition !== "claim" && record.partition !== RENAMED)
          kept.push({ ...record, revision, state: await stateIn(snapshot, record) });
      }
      return kept;
    });
  } finally {
    await past.close();
  }
}

async function stateIn(snapshot: Snapshot, { partition, key }: RevokedRecord): Promise<string | null> {
  const stored = await snapshot.get(partition, key);
  return stored === undefined ? null : stateOf(partition, stored.value);
}
