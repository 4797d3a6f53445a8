/** Work while the state of a store is put back to an earlier one, at each moment of the work. */

import { expect } from "vitest";
import type { MemoryStore } from "../../src/store/memory/memory-store.ts";
import type { Commit, Store } from "../../src/store/port.ts";

/** States of a store, and the work that is done on it. */
interface PutBack {
  readonly store: MemoryStore;
  /** Leads from the state of the store to the one on which the work begins. */
  readonly change: () => Promise<unknown>;
  /** The work; it rejects only for what is a fault. */
  readonly work: (store: Store) => Promise<unknown>;
}

/**
 * Expects that the work changes the state after the change, and nothing of the state before it, before whichever of its calls
 * that takes the place.
 */
export async function expectPutBackWhole({ store, change, work }: PutBack): Promise<void> {
  const before = store.capture();
  const kept = await recordsOf(store);
  await change();
  const changed = store.capture();
  let calls = 0;
  await work(watched(store, (call) => (calls = call + 1)));
  expect(await recordsOf(store)).not.toEqual(kept);
  expect(calls).toBeGreaterThan(2);
  for (let at = 0; at < calls; at++) {
    store.restore(changed);
    await work(watched(store, (call) => call === at && store.restore(before)));
    expect(await recordsOf(store), `put back before call ${at + 1} of ${calls}`).toEqual(kept);
  }
}

async function recordsOf(store: MemoryStore): Promise<string[]> {
  const records: string[] = [];
  for await (const page of store.state().pages) records.push(...page.map((record) => JSON.stringify(record)));
  return records;
}

/** The store; `before` is called with the number of each call that reads or writes it. */
function watched(store: MemoryStore, before: (call: number) => void): Store {
  let calls = 0;
  return Object.assign(Object.create(store) as Store, {
    snapshot: () => {
      before(calls++);
      return store.snapshot();
    },
    commit: (commit: Commit) => {
      before(calls++);
      return store.commit(commit);
    },
  });
}
