/**
 * Positions in the log of a directory, as callers and readers name them (spec/journal §6): `N.LOG.ENTRY`. Revision N alone
 * may be given twice, where a database is put back to an earlier state. ENTRY makes it one entry, and so, as each entry
 * names the one before, one past.
 */

/** Characters of the id of a log or an entry that a position has. */
const SHORT = 8;
const FORM = /^(\d{1,15})(?:\.([\w-]{8})(?:\.([\w-]{8}))?)?$/;

/** A position as it was named. */
export interface NamedPosition {
  readonly revision: number;
  /** The first 8 characters of the log's id; undefined where it was not named. */
  readonly log: string | undefined;
  /** The first 8 characters of the entry's id; undefined where it was not named. */
  readonly entry: string | undefined;
}

/** Reads `N`, `N.LOG` or `N.LOG.ENTRY`; undefined for another form. */
export function parsePosition(text: string): NamedPosition | undefined {
  const [, number, log, entry] = FORM.exec(text) ?? [];
  return number === undefined ? undefined : { revision: Number(number), log, entry };
}

/** The part of an entry's id that positions have. */
export function shortId(id: string): string {
  return id.slice(0, SHORT);
}

/**
 * Writes `N.LOG.ENTRY`; `N.LOG` where the entry is not known, and "" where there is no log: no name is ever empty.
 * @param log the log's id, or its first 8 characters
 * @param id the entry's id
 */
export function positionText(revision: number, log: string, id: string | undefined): string {
  if (log === "") return "";
  const entry = id === undefined || id === "" ? "" : `.${shortId(id)}`;
  return `${revision}.${shortId(log)}${entry}`;
}
