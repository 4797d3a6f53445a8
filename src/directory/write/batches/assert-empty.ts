/** The emptiness of a directory that a batch is to fill. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { Transaction } from "../transaction.ts";

/** Throws "invalid_request" where a directory has a user, a group or a policy. */
export async function assertEmpty(tx: Pick<Transaction, "scan">): Promise<void> {
  for (const partition of ["user", "group", "policy"] as const) {
    const [first] = await tx.scan(partition, { limit: 1 });
    if (first === undefined) continue;
    const message = `the directory is not empty any more: somebody made the ${partition} ${JSON.stringify(first.key)} meanwhile; nothing was changed`;
    throw new AuthorizerError("invalid_request", message);
  }
}
