/** Counts the entities of a store without opening its secrets. */

import { bulkPause } from "../../schedule/bulk-pause.ts";
import { type Store, withSnapshot } from "../../store/port.ts";

/** Entities by kind. */
export interface EntityCounts {
  readonly users: number;
  readonly groups: number;
  readonly policies: number;
  readonly credentials: number;
}

const PAGE = 1_000;

/** Counts what a store holds. */
export function countEntities(store: Store): Promise<EntityCounts> {
  return withSnapshot(store, async (snapshot) => {
    const pause = bulkPause();
    const count = async (partition: string): Promise<number> => {
      let total = 0;
      let after: string | undefined;
      for (;;) {
        const page = await snapshot.scan(partition, { limit: PAGE, ...(after !== undefined && { after }) });
        total += page.length;
        if (page.length < PAGE) return total;
        after = page.at(-1)?.key;
        await pause();
      }
    };
    return {
      users: await count("user"),
      groups: await count("group"),
      policies: await count("policy"),
      credentials: await count("key"),
    };
  });
}
