/** Raises the format of a shared log before it gets what nodes of version 0.2 would let pass. */

import { restrictsAnew } from "../../directory/records/restricting.ts";
import { MIRRORS } from "../../mirroring/mirror-records.ts";
import type { Logger } from "../../observe/log/logger.ts";
import type { Commit, RecordPut, Store } from "../../store/port.ts";
import { withCalls } from "../../store/with-calls.ts";

/**
 * A store over a log that nodes of version 0.2 may share. Before the first commit that they would not obey (an inactive user, an
 * access key that expires, a mirror) it raises the format of the log, at which they stop. Other stores are returned as they are.
 */
export function raisingStore(store: Store, logger: Logger): Store {
  if (store.upgradeLog === undefined) return store;
  const commit = async (asked: Commit): Promise<number> => {
    if (store.namesEntries?.() === false && asked.put?.some(isNewToEarlierNodes) === true) {
      const { from, to } = await store.upgradeLog!();
      if (from < to) logger.warn(MESSAGE, { from, to });
    }
    return store.commit(asked);
  };
  return withCalls(store, { commit });
}

const MESSAGE =
  "the format of the log was raised: nodes of version 0.2 stop, since they would not obey an inactive user, an access key that expires, or a mirror";

function isNewToEarlierNodes(put: RecordPut): boolean {
  return put.partition === MIRRORS || restrictsAnew(put);
}
