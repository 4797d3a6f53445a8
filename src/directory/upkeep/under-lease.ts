/** Background work that one of several processes does (spec/journal §5). */

import type { Store } from "../../store/port.ts";

/** Another process does the work. */
export class NotHolder extends Error {}

/**
 * The same store, whose commits expect a lease, which is taken with the first of them. A commit throws
 * {@link NotHolder} while another process has it. Without several processes there is nothing to take.
 */
export function underLease(store: Store, name: string): Store {
  if (store.lease === undefined) return store;
  return {
    get logId() {
      return store.logId;
    },
    snapshot: () => store.snapshot(),
    commit: async (commit) => {
      const lease = await store.lease!(name);
      if (lease === undefined) throw new NotHolder(`another process has the lease ${name}`);
      return store.commit({ ...commit, expect: [...(commit.expect ?? []), lease] });
    },
    changes: (after, limit) => store.changes(after, limit),
    history: store.history,
    subscribe: (listener) => store.subscribe(listener),
    health: () => store.health(),
    close: () => store.close(),
  };
}
