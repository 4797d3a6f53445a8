/** The difference between data sets and directory, as the operations of one batch. */

import type { BatchOperation } from "../directory/batch.ts";
import type { Change, ChangeAction, ChangeKind } from "./change.ts";

/** The mode of applying data sets (`authorizer.datasets_mode`). */
export type DatasetMode = "load" | "sync";

/** The operations in order, and the changes for people. Both are empty if the directory equals the data sets. */
interface Plan {
  readonly operations: readonly BatchOperation[];
  readonly changes: readonly Change[];
}

/** Collects a plan. Operations and changes keep the order in which they are added. */
export class PlanBuilder implements Plan {
  readonly operations: BatchOperation[] = [];
  readonly changes: Change[] = [];

  /** Adds an operation and its change. */
  add(operation: BatchOperation, action: ChangeAction, kind: ChangeKind, name: string): void {
    this.operations.push(operation);
    this.changes.push({ action, kind, name });
  }

  /** Adds an operation that changes fields of an existing entity. */
  change(operation: BatchOperation, kind: ChangeKind, name: string, fields: readonly string[]): void {
    this.operations.push(operation);
    this.changes.push({ action: "change", kind, name, fields });
  }

  /** Records an entity that differs and stays as it is. */
  keep(kind: ChangeKind, name: string, fields: readonly string[]): void {
    this.changes.push({ action: "keep", kind, name, fields });
  }

  /** Adds an operation that prepares a later one and does not count as a change. */
  prepare(operation: BatchOperation): void {
    this.operations.push(operation);
  }
}
