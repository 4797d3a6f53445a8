/** One value of a store, written and read. */

import { type Store, withSnapshot } from "../../src/store/port.ts";

const P = "things";

export const put = (store: Store, key: string, value = "x") =>
  store.commit({ put: [{ partition: P, key, value }] });

export const read = (store: Store, key: string) =>
  withSnapshot(store, async (snapshot) => (await snapshot.get(P, key))?.value);
