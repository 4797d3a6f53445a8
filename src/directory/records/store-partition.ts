/** The partition of ARNs that a store is written for: its policies would match nothing with another one. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import type { Statement } from "@svc-authorizer/policy/model/policy.ts";
import { parseResourceText } from "@svc-authorizer/policy/model/resource-text.ts";
import { everyRecord } from "../../store/every-record.ts";
import { DamagedRecord, type Store, withSnapshot } from "../../store/port.ts";
import type { PolicyRecord } from "./layout.ts";

/** Key of the record in `meta` that names the partition. */
export const PARTITION = "partition";
const ITEM = "authorizer.partition";
const ARN_BEGINNING = /^arn:([^:]*):/;

/** The partitions of the ARNs in statements, one after the other. A wildcard matches any partition's texts as far as it matches at all. */
export function* partitionsOf(statements: Iterable<Pick<Statement, "resource">>): Generator<string> {
  for (const { resource } of statements) {
    for (const text of parseResourceText(resource) ?? []) {
      const partition = ARN_BEGINNING.exec(text)?.[1];
      if (partition !== undefined && !/[*?]/.test(partition)) yield partition;
    }
  }
}

/**
 * Refuses a partition other than that of the store (spec/journal §5).
 * @param stored undefined for a store that names none yet: a new one, or one of an earlier version
 * @throws AuthorizerError "invalid_request", naming the configuration item and both partitions
 */
export function assertPartitionOfStore(stored: string | undefined, configured: string): void {
  if (stored === undefined || stored === configured) return;
  const message = `${ITEM} is ${JSON.stringify(configured)}, but this store was made with ${JSON.stringify(stored)}, and its policies have ARNs of that partition; set ${ITEM} to ${JSON.stringify(stored)}, or use an empty store`;
  throw new AuthorizerError("invalid_request", message);
}

/**
 * Refuses a partition that no ARN of the stored policies has, while they have others: for a store of an earlier version, which
 * names none. What the first start records is not to be taken back.
 * @throws AuthorizerError "invalid_request", naming the configuration item and both partitions
 */
export async function assertPartitionOfPolicies(store: Store, configured: string): Promise<void> {
  const other = await withSnapshot(store, async (snapshot) => {
    let first: string | undefined;
    for await (const record of everyRecord(snapshot, "policy")) {
      if (record instanceof DamagedRecord) continue;
      for (const partition of partitionsOf((parseJsonText(record.value) as PolicyRecord).statement)) {
        if (partition === configured) return undefined;
        first ??= partition;
      }
    }
    return first;
  });
  if (other === undefined) return;
  const message = `${ITEM} is ${JSON.stringify(configured)}, but the policies in this store have ARNs of ${JSON.stringify(other)}; set ${ITEM} to ${JSON.stringify(other)}, or use an empty store`;
  throw new AuthorizerError("invalid_request", message);
}
