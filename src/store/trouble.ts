/** The trouble of a store with the database that it shares, for operators and callers (spec/journal §3.5). */

/**
 * `away`: nothing answers; `read_only`; `locked`: a lock is not given up in time; `access`: password or rights are wrong;
 * `full`: it has no room; `busy`: it has no connection or memory left; `behind`: the log cannot be followed; `other_log`: it
 * has no log, or another one; `rebuilding`: a new copy is made; `failing`: it fails in another way.
 */
export type TroubleKind =
  | "away"
  | "read_only"
  | "locked"
  | "access"
  | "full"
  | "busy"
  | "behind"
  | "other_log"
  | "rebuilding"
  | "failing";

/** A trouble. */
export interface StoreTrouble {
  readonly kind: TroubleKind;
  /** Unix milliseconds. */
  readonly since: number;
  /** True if reads work: only changes are refused, and decisions go on from the newest state. */
  readonly isReadable: boolean;
  /** Unix milliseconds at which nothing is answered any more, unless it ends before; undefined: that does not come. */
  readonly stopsAt: number | undefined;
}

/** A clause for callers; it names nothing of the inside. */
export const TROUBLE_CLAUSES: Readonly<Record<TroubleKind, string>> = {
  away: "the database cannot be reached",
  read_only: "the database is read-only",
  locked: "the database is locked and does not answer in time",
  access: "the database refuses the credentials or rights of this service",
  full: "the database has no room",
  busy: "the database is overloaded",
  behind: "this node cannot follow the log of the database",
  other_log: "the database has no log, or another one than this node's copy came from",
  rebuilding: "this node makes a new copy of the database",
  failing: "the database fails",
};

/** Says in words what goes on, what is refused, and until when. */
export function troubleInWords({ kind, since, isReadable, stopsAt }: StoreTrouble, now: number): string {
  const what = `${TROUBLE_CLAUSES[kind]} since ${new Date(since).toISOString()}`;
  const sentence = `${what.charAt(0).toUpperCase()}${what.slice(1)}.`;
  if (isReadable || stopsAt === undefined) return `${sentence} Decisions go on; changes are refused.`;
  const time = new Date(stopsAt).toISOString();
  if (now >= stopsAt) return `${sentence} Decisions stopped at ${time}, and nothing is answered.`;
  return `${sentence} Decisions go on from this node's copy until ${time}; changes are refused.`;
}
