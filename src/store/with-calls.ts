/** Stores that do some of their calls otherwise. */

import type { Store } from "./port.ts";

/** Returns a store with other calls in the place of some; all else is that of the given one, also what changes there later. */
export function withCalls(store: Store, calls: Partial<Pick<Store, "snapshot" | "commit" | "stage">>): Store {
  const own = Object.getOwnPropertyDescriptors(store);
  return Object.defineProperties({}, { ...own, ...Object.getOwnPropertyDescriptors(calls) }) as Store;
}
