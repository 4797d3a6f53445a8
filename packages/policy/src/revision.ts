/**
 * The place in the log of the directory that an answer was made from: the headers `X-Svc-Revision: N.LOG` and
 * `X-Svc-Position: N.LOG.ENTRY`. Revision N may be given twice, where a database is put back; the entry tells which.
 */

/** A place in the log of the directory. */
export interface Revision {
  /** 1, 2, 3 … without a gap. */
  readonly number: number;
  /** The first characters of the log's id: numbers of different logs have no order. */
  readonly log: string;
  /** `N.LOG`, as the service writes it. */
  readonly text: string;
  /** `N.LOG.ENTRY`; undefined from a service of version 0.2. */
  readonly position: string | undefined;
}

const FORM = /^(?<number>\d{1,15})\.(?<log>[\w-]{1,64})$/;
const POSITION = /^\d{1,15}\.[\w-]{1,64}\.[\w-]{1,64}$/;

/**
 * Reads the headers of an answer; undefined where they name no revision.
 * @param text `N.LOG`
 * @param position `N.LOG.ENTRY` of the same revision
 */
export function parseRevision(text: string | null, position: string | null = null): Revision | undefined {
  const groups = FORM.exec(text ?? "")?.groups;
  if (groups === undefined) return undefined;
  return {
    number: Number(groups["number"]),
    log: groups["log"] ?? "",
    text: text ?? "",
    position: position?.startsWith(`${text}.`) && isPosition(position) ? position : undefined,
  };
}

/** True for `N.LOG.ENTRY`. */
export function isPosition(text: string): boolean {
  return POSITION.test(text);
}

/** The later of two. A revision of another log replaces the one that was known: the service has a new database. */
export function newerRevision(known: Revision | undefined, seen: Revision): Revision {
  if (known === undefined || known.log !== seen.log || known.number < seen.number) return seen;
  return known.number === seen.number && known.position === undefined ? seen : known;
}

/** The headers of a request whose answer has to be of a revision at least; services of version 0.2 read the first alone. */
export function minimumHeaders(known: Revision | undefined): Record<string, string> {
  if (known === undefined) return {};
  const { text, position } = known;
  return {
    "x-svc-min-revision": text,
    ...(position !== undefined && { "x-svc-min-position": position }),
  };
}

/** Codes of refusals after which a caller forgets the revision that it named: the log does not have it. */
export const FORGET_AT: ReadonlySet<unknown> = new Set(["other_log", "went_back"]);
