/** The state of a node's copy of a shared log, for operators and callers (spec/journal §3). */

/**
 * The kinds of state of a copy. `whole`: it follows; `rebuilding`: the log went back, and a new state is made beside the copy;
 * the others wait, and nothing renews the copy's age: `no_log`: the database is empty; `other_log`: it has another log;
 * `broken_log`: it lacks something without which no whole state can be built.
 */
export type CopyKind = "whole" | "rebuilding" | "no_log" | "other_log" | "broken_log";

/** The last time that a log went back while this process followed it. */
export interface WentBack {
  /** Unix milliseconds. */
  readonly at: number;
  /** Newest revision that the copy had. */
  readonly from: number;
  /** Newest revision that both have; undefined where that is not known. */
  readonly common: number | undefined;
  /** Entries of the copy that the log lost. */
  readonly lost: number;
  /** The file that has them; undefined until it is written, or where that failed. */
  readonly file: string | undefined;
}

/** The state of a copy. */
export interface CopyState {
  readonly kind: CopyKind;
  /** Unix milliseconds from which on it is of this kind. */
  readonly since: number;
  /** False while the database cannot be reached, or the copy waits. */
  readonly hasContact: boolean;
  /** Unix milliseconds at which the copy was last proved to be the newest; undefined: never by this process. */
  readonly provedAt: number | undefined;
  /** Unix milliseconds from which on nothing is answered, unless the copy is proved before. */
  readonly stopsAt: number;
  /** First 8 characters of the id of the other log, with `other_log`. */
  readonly otherLog?: string;
  /** Undefined if that did not happen. */
  readonly wentBack?: WentBack;
}
