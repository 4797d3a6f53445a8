/** The partition of ARNs that a store is written for: its policies would match nothing with another one. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";

/** Key of the record in `meta` that names the partition. */
export const PARTITION = "partition";
const ITEM = "authorizer.partition";

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
