/** The lines of the file of revocations, each a JSON object: a record that was revoked, or a position of the log. */

import type { RecordName } from "../port.ts";

/** A record that was revoked, or that stands for it now. */
export interface RevokedRecord extends RecordName {
  /** Says what the record is now, without a secret; null: it was removed. */
  readonly state: string | null;
  /** Of the commit. */
  readonly revision: number;
  /** Unix milliseconds until which it has to be known. */
  readonly until: number;
}

/** Names an entry of a log. */
export interface LogPlace {
  readonly revision: number;
  /** Id of the entry. */
  readonly id: string;
  /** Id of the log. */
  readonly log: string;
}

interface Line {
  readonly at?: readonly [number, string, string];
  readonly p?: unknown;
  readonly k?: unknown;
  readonly s?: string | null;
  readonly r?: number;
  readonly u?: number;
}

/** Returns the line of a record. */
export function lineOf({ partition, key, state, revision, until }: RevokedRecord): string {
  return JSON.stringify({ p: partition, k: key, s: state, r: revision, u: until });
}

/** Returns the line of a position. */
export function placeLine({ revision, id, log }: LogPlace): string {
  return JSON.stringify({ at: [revision, id, log] });
}

/** Reads a line; undefined where it is none. */
export function readLine(
  text: string,
): { readonly place: LogPlace } | { readonly record: RevokedRecord } | undefined {
  try {
    const { at, p, k, s, r, u } = JSON.parse(text) as Line;
    if (at !== undefined) {
      const [revision, id, log] = at;
      return { place: { revision, id, log } };
    }
    if (typeof p !== "string" || typeof k !== "string") return undefined;
    return { record: { partition: p, key: k, state: s ?? null, revision: r ?? 0, until: u ?? 0 } };
  } catch {
    return undefined;
  }
}
