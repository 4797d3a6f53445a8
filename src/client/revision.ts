/** The header `X-Svc-Revision: N.LOG`: which state of the directory an answer was made from. */

/** A place in the log of the directory. */
export interface Revision {
  /** 1, 2, 3 … without a gap. */
  readonly number: number;
  /** The first characters of the log's id: numbers of different logs have no order. */
  readonly log: string;
  /** As the service writes it. */
  readonly text: string;
}

const FORM = /^(?<number>\d{1,15})\.(?<log>[\w-]{1,64})$/;

/** Reads `N.LOG`; undefined for anything else. */
export function parseRevision(text: string): Revision | undefined {
  const groups = FORM.exec(text)?.groups;
  if (groups === undefined) return undefined;
  return { number: Number(groups["number"]), log: groups["log"] ?? "", text };
}

/** The later of two. A revision of another log replaces the one that was known: the service has a new database. */
export function newerRevision(known: Revision | undefined, seen: Revision): Revision {
  return known !== undefined && known.log === seen.log && known.number >= seen.number ? known : seen;
}
