/** Reads a record that is to be replaced. */

import { type Expectation, expectAsRead } from "./expectation.ts";
import { type RecordName, type Store, type StoredRecord, withSnapshot } from "./port.ts";

/** A record with what a commit expects that is derived from it. */
interface RecordAsRead {
  /** Undefined: there is none. */
  readonly stored: StoredRecord | undefined;
  /** That it is still so. */
  readonly unchanged: Expectation;
}

/** Reads a record from the newest state. */
export function readRecord(store: Store, name: RecordName): Promise<RecordAsRead> {
  return withSnapshot(store, async (snapshot) => {
    const stored = await snapshot.get(name.partition, name.key);
    return { stored, unchanged: expectAsRead(snapshot, name, stored) };
  });
}
