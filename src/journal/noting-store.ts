/** The store as calls use it: what they read and check is noted with them (spec/journal §2.8). */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { type Commit, isCheck, type Snapshot, type Store } from "../store/port.ts";
import { withCalls } from "../store/with-calls.ts";

/** Hears what is done in the context of a call. */
interface StoreNotes {
  /** A state is opened. */
  readonly read: () => void;
  /** A commit that only checks has failed: on a state that is proved to be the newest. */
  readonly failedCheck: () => void;
}

/** Returns the store, with notes of what is done. */
export function notingStore(store: Store, { read, failedCheck }: StoreNotes): Store {
  const snapshot = (): Promise<Snapshot> => {
    read();
    return store.snapshot();
  };
  const commit = async (asked: Commit): Promise<number> => {
    try {
      return await store.commit(asked);
    } catch (error) {
      if (isErrorCode(error, "conflict") && isCheck(asked)) failedCheck();
      throw error;
    }
  };
  return withCalls(store, { snapshot, commit });
}
