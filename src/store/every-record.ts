/** Reads every record of a partition, with the places of those that are damaged. */

import { bulkPause } from "../schedule/bulk-pause.ts";
import { DamagedRecord, type ScannedRecord, type Snapshot } from "./port.ts";

const PAGE = 1_000;

/**
 * The records of a partition in the order of their keys. A damaged one comes as its error, and the next ones behind it. Other
 * work of the process goes on between pages.
 */
export async function* everyRecord(
  snapshot: Snapshot,
  partition: string,
): AsyncGenerator<ScannedRecord | DamagedRecord> {
  const pause = bulkPause();
  let limit = PAGE;
  for (let after = ""; ; ) {
    const page = await pageOf(snapshot, partition, after, limit);
    if (page instanceof DamagedRecord) {
      // It ends the reading of a page: those before it are read one by one.
      if (limit === 1) {
        yield page;
        after = page.key;
      }
      limit = limit === 1 ? PAGE : 1;
      continue;
    }
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < limit) return;
    after = last.key;
    await pause();
  }
}

async function pageOf(
  snapshot: Snapshot,
  partition: string,
  after: string,
  limit: number,
): Promise<readonly ScannedRecord[] | DamagedRecord> {
  try {
    return await snapshot.scan(partition, { limit, ...(after !== "" && { after }) });
  } catch (error) {
    if (error instanceof DamagedRecord) return error;
    throw error;
  }
}
