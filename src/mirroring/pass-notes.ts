/** Counts and findings of one pass over a mirror. */

import type { Found } from "./data/data-check.ts";
import type { PendingCommit } from "./progress/progress.ts";

/** Counts and findings of one pass. */
export interface PassNotes {
  recorded: number;
  looks: number;
  promotions: number;
  missing: number;
  /** Objects outside the namespace that hold commits back. */
  blocking: number;
  readonly reasons: string[];
  /** Examples of data that has not come yet. */
  readonly waiting: string[];
}

/** The notes of a pass that begins. */
export function newNotes(): PassNotes {
  return {
    recorded: 0,
    looks: 0,
    promotions: 0,
    missing: 0,
    blocking: 0,
    reasons: [],
    waiting: [],
  };
}

/** Notes what holds a commit back. */
export function noteMissing({ id }: PendingCommit, found: Found, notes: PassNotes): void {
  notes.missing += found.missing;
  notes.waiting.push(...found.examples.slice(0, 1));
  if (found.missing === 0) {
    notes.blocking += found.external;
    notes.reasons.push(`commit ${id} has ${found.external} objects outside the storage namespace`);
  }
}
