/** The plan of a restore (spec/journal §4), in little memory. */

import { joinedLists, type LongList } from "../../compact/long-list.ts";
import { PackedList } from "../../compact/packed-list.ts";
import type { TextHashes } from "../../compact/text-hashes.ts";
import type { BatchOperation, StateView } from "../batch.ts";
import type { RestoredKind, RestoredThing, RestoreOptions, Revocation } from "../history.ts";
import type { MarkedOperation } from "../write/batches/apply-operations.ts";

/**
 * The parts of a plan in the order in which they can be applied. What is given up first makes room for what takes its place:
 * external ids, principals.
 */
const PARTS = [
  "removed users",
  "removed groups",
  "removed policies",
  "given up by users",
  "removed resources",
  "removed resource types",
  "resource types",
  "resources",
  "policies",
  "groups",
  "users",
  "attachments of groups",
  "belongings of users",
  "forgotten documents",
  "documents",
] as const;

/** A part of a plan, as it is made. */
export class PlanPart {
  readonly operations = new PackedList<MarkedOperation>();
  readonly changes = new PackedList<RestoredThing>();

  /** Adds an operation that brings something back, in place of what there is. */
  put(kind: RestoredKind, name: string, before: unknown, operation: BatchOperation, managed: boolean): void {
    this.operations.push({ operation, managed });
    this.changes.push({ change: before === undefined ? "create" : "replace", kind, name });
  }

  /** Adds an operation that removes something. */
  remove(kind: RestoredKind, name: string, operation: BatchOperation): void {
    this.operations.push({ operation, managed: false });
    this.changes.push({ change: "remove", kind, name });
  }

  /** Adds an operation that is no change of its own. */
  prepare(operation: BatchOperation, managed = false): void {
    this.operations.push({ operation, managed });
  }
}

/** The operations that lead to an earlier state, and what is told of them. */
export class RestorePlan {
  readonly lostKeys = new PackedList<string>();
  readonly revocations = new PackedList<Revocation>();
  readonly #parts = new Map(PARTS.map((name) => [name, new PlanPart()]));

  /** A part, to add to it. */
  part(name: (typeof PARTS)[number]): PlanPart {
    return this.#parts.get(name) as PlanPart;
  }

  /** All operations, in an order that lets each of them pass. */
  get operations(): LongList<MarkedOperation> {
    return joinedLists([...this.#parts.values()].map(({ operations }) => operations));
  }

  /** All changes, in that order. */
  get changes(): LongList<RestoredThing> {
    return joinedLists([...this.#parts.values()].map(({ changes }) => changes));
  }
}

/** The state to go back to and the present one, with what is asked for and what is found out so far. */
export interface RestoreScope {
  readonly past: StateView;
  readonly present: StateView;
  readonly options: Pick<RestoreOptions, "withCredentials" | "forgetRevocations">;
  readonly plan: RestorePlan;
  /** Names of the groups and policies of the past. */
  readonly pastNames: { readonly group: TextHashes; readonly policy: TextHashes };
}
