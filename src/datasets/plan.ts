/** The difference between what data sets ask for and what the directory has, as operations of one batch. */

import type { BatchOperation } from "../directory/batch.ts";
import type { Change, ChangeAction, ChangeKind } from "./change.ts";

/** How a data set is applied (`authorizer.datasets_mode`). */
export type DatasetMode = "load" | "sync";

/** Operations to apply, in order, and the same for people. Nothing in it when the directory is as wanted. */
export interface Plan {
  readonly operations: readonly BatchOperation[];
  readonly changes: readonly Change[];
}

/** Collects a plan. Operations and changes keep the order in which they are added. */
export class PlanBuilder implements Plan {
  readonly operations: BatchOperation[] = [];
  readonly changes: Change[] = [];

  /** Adds an operation and what it does. */
  add(operation: BatchOperation, action: ChangeAction, kind: ChangeKind, name: string): void {
    this.operations.push(operation);
    this.changes.push({ action, kind, name });
  }

  /** Adds an operation that changes some fields of what exists. */
  change(operation: BatchOperation, kind: ChangeKind, name: string, fields: readonly string[]): void {
    this.operations.push(operation);
    this.changes.push({ action: "change", kind, name, fields });
  }

  /** Notes that something differs and stays as it is. */
  keep(kind: ChangeKind, name: string, fields: readonly string[]): void {
    this.changes.push({ action: "keep", kind, name, fields });
  }

  /** Adds an operation that prepares a later one and is no change of its own. */
  prepare(operation: BatchOperation): void {
    this.operations.push(operation);
  }
}
