/** Ids of the decisions of a batch, which has one record (decision-log.md §1.3). */

const PLACE = /\.\d+$/;

/** The id of one decision of a batch: that of the batch, and the place of the decision in its record. */
export function idInBatch(batchId: string, place: number): string {
  return `${batchId}.${place}`;
}

/** The id of the record that has a decision: its own, or that of its batch. */
export function recordIdOf(decisionId: string): string {
  return decisionId.replace(PLACE, "");
}
