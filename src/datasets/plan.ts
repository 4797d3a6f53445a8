/** The difference between data sets and directory, as the operations of one batch. */

import { joinedLists, type LongList } from "../compact/long-list.ts";
import type { Overflow } from "../compact/overflow.ts";
import { PackedList } from "../compact/packed-list.ts";
import type { BatchOperation } from "../directory/batch.ts";
import type { Change, ChangeAction, ChangeCounts, ChangeKind } from "./change.ts";

/** The mode of applying data sets (`authorizer.datasets_mode`). */
export type DatasetMode = "load" | "sync";

/** The parts of a plan in the order in which they are applied: what is referred to comes before references. */
const PARTS = [
  "removed relations of users",
  "removed relations of groups",
  "removed resources",
  "removed entities",
  "released texts",
  "resource types",
  "policies",
  "groups",
  "users",
  "resources",
] as const;

/** A part of a plan. */
type PlanPart = (typeof PARTS)[number];

/** Collects a part of a plan. Operations and changes keep the order in which they are added. */
export class PlanBuilder {
  readonly operations: PackedList<BatchOperation>;
  readonly changes: PackedList<Change>;
  readonly #counts: Record<ChangeAction, number>;

  /**
   * @param counts of the changes of all parts
   * @param overflow keeps what is long
   */
  constructor(counts: Record<ChangeAction, number>, overflow: Overflow) {
    this.#counts = counts;
    this.operations = new PackedList(overflow);
    this.changes = new PackedList(overflow);
  }

  /** Adds an operation and its change. */
  add(operation: BatchOperation, action: ChangeAction, kind: ChangeKind, name: string): void {
    this.operations.push(operation);
    this.#note({ action, kind, name });
  }

  /** Adds an operation that changes fields of an existing entity. */
  change(operation: BatchOperation, kind: ChangeKind, name: string, fields: readonly string[]): void {
    this.operations.push(operation);
    this.#note({ action: "change", kind, name, fields });
  }

  /** Records an entity that differs and stays as it is. */
  keep(kind: ChangeKind, name: string, fields: readonly string[]): void {
    this.#note({ action: "keep", kind, name, fields });
  }

  /** Adds an operation that prepares a later one and does not count as a change. */
  prepare(operation: BatchOperation): void {
    this.operations.push(operation);
  }

  #note(change: Change): void {
    this.#counts[change.action]++;
    this.changes.push(change);
  }
}

/** A whole plan. It is empty if the directory equals the data sets. */
export class Plan {
  readonly #counts = { add: 0, change: 0, remove: 0, keep: 0 };
  readonly #parts: ReadonlyMap<PlanPart, PlanBuilder>;

  /** @param overflow keeps what is long */
  constructor(overflow: Overflow) {
    this.#parts = new Map(PARTS.map((part) => [part, new PlanBuilder(this.#counts, overflow)]));
  }

  /** Number of changes by action. */
  get counts(): ChangeCounts {
    return this.#counts;
  }

  /** A part, to add to it. */
  part(part: PlanPart): PlanBuilder {
    return this.#parts.get(part) as PlanBuilder;
  }

  /** All operations, in the order in which they can be applied. */
  get operations(): LongList<BatchOperation> {
    return joinedLists([...this.#parts.values()].map(({ operations }) => operations));
  }

  /** All changes, in that order. */
  get changes(): LongList<Change> {
    return joinedLists([...this.#parts.values()].map(({ changes }) => changes));
  }
}
