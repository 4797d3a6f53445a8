/** State that the operations of one batch share. */

import type { ResourceType } from "@svc-authorizer/policy/model/resource-type.ts";
import type { BatchOptions } from "../../batch.ts";
import type { DirectoryContext } from "../../context.ts";
import type { Transaction } from "../transaction.ts";

/** State that the operations of one batch share. */
export interface BatchScope {
  readonly tx: Transaction;
  readonly context: DirectoryContext;
  /** Mark of what is put. */
  readonly managed: boolean;
  readonly leaves: BatchOptions["leaves"];
  /** Resource types declared so far, stored ones included. */
  readonly resourceTypes: Map<string, ResourceType>;
}
