/** Counts and findings of one pass over a mirror. */

import type { Found } from "./data/data-check.ts";
import type { PendingCommit } from "./progress/progress.ts";

/** Reasons that are told; the number of the others is. */
const MOST_REASONS = 10;

/** Counts and findings of one pass. */
export interface PassNotes {
  recorded: number;
  looks: number;
  promotions: number;
  missing: number;
  /** Commits that are not complete, and the Unix milliseconds of the recording of the oldest. */
  pending: number;
  oldestPendingSince: number | undefined;
  /** Objects outside the namespace that hold commits back. */
  blocking: number;
  readonly reasons: string[];
  /** An example of data that has not come yet. */
  waiting: string | undefined;
}

/** The notes of a pass that begins. */
export function newNotes(): PassNotes {
  return {
    recorded: 0,
    looks: 0,
    promotions: 0,
    missing: 0,
    pending: 0,
    oldestPendingSince: undefined,
    blocking: 0,
    reasons: [],
    waiting: undefined,
  };
}

/** Notes what holds a commit back. */
export function noteMissing({ id }: PendingCommit, found: Found, notes: PassNotes): void {
  notes.missing += found.missing;
  notes.waiting ??= found.examples[0];
  if (found.notServed !== undefined)
    notes.reasons.push(`the data server does not take the path of an object: ${found.notServed}`);
  if (found.missing === 0) {
    notes.blocking += found.external;
    notes.reasons.push(`commit ${id} has ${found.external} objects outside the storage namespace`);
  }
}

/** The reasons of a pass as one text: bounded, since it is kept and shown. */
export function reasonOf({ reasons, waiting }: PassNotes): string {
  const more = reasons.length - MOST_REASONS;
  return [
    ...reasons.slice(0, MOST_REASONS),
    ...(more > 0 ? [`and ${more} more`] : []),
    ...(waiting === undefined ? [] : [`the store has not replicated everything: ${waiting}`]),
  ].join("; ");
}
