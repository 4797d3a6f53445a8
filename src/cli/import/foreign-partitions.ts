/** ARNs of another partition: a service would keep them and never match one. */

import { parseResourceText } from "@svc-authorizer/policy/model/resource-text.ts";
import type { NewPolicy } from "../../directory/new-entities.ts";

const PARTITION = /^arn:([^:]*):/;

/** Partitions other than `partition` in the resources of policies, each with the first policy that has it. */
export function foreignPartitions(
  policies: readonly NewPolicy[],
  partition: string,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { name, statement } of policies) {
    for (const { resource } of statement) {
      for (const text of parseResourceText(resource) ?? []) {
        const other = PARTITION.exec(text)?.[1];
        // A wildcard matches any partition's texts as far as it matches at all.
        if (other === undefined || other === partition || /[*?]/.test(other) || found.has(other)) continue;
        found.set(other, name);
      }
    }
  }
  return found;
}
