/** State that the operations of one batch share. */

import type { ResourceType } from "@svc-authorizer/policy/model/resource-type.ts";
import type { DirectoryContext } from "../../context.ts";
import type { Transaction } from "../transaction.ts";
import type { LeftThings } from "./left-things.ts";

/** State that the operations of one batch share. */
export interface BatchScope {
  readonly tx: Transaction;
  readonly context: DirectoryContext;
  /** Mark of what is put. */
  readonly managed: boolean;
  /** Finds what stays as it is; undefined where all is replaced and removed. */
  readonly left: LeftThings | undefined;
  /** Resource types declared so far, stored ones included. */
  readonly resourceTypes: Map<string, ResourceType>;
}
