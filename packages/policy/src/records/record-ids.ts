/** Ids of the decisions of a batch, which has one record (spec/decision-log §1.3). */

const PLACE = /\.(\d+)$/;

/** The id of one decision of a batch: that of the batch, and the place of the decision in its record. */
export function idInBatch(batchId: string, place: number): string {
  return `${batchId}.${place}`;
}

/** The place of a decision in the record of its batch; undefined for an id of a whole record. */
export function placeInBatch(decisionId: string): number | undefined {
  const place = PLACE.exec(decisionId)?.[1];
  return place === undefined ? undefined : Number(place);
}

/** The id of the record that has a decision: its own, or that of its batch. */
export function recordIdOf(decisionId: string): string {
  return decisionId.replace(PLACE, "");
}
