/** ARNs of another partition: a service would keep them and never match one. */

import type { NewPolicy } from "../../directory/new-entities.ts";
import { partitionsOf } from "../../directory/records/store-partition.ts";

/** Partitions other than `partition` in the resources of policies, each with the first policy that has it. */
export function foreignPartitions(
  policies: readonly NewPolicy[],
  partition: string,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { name, statement } of policies) {
    for (const other of partitionsOf(statement)) {
      if (other !== partition && !found.has(other)) found.set(other, name);
    }
  }
  return found;
}
