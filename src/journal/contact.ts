/** A node's contact to its engine, as it tells its workers (spec/journal §7). */

import type { CopyState } from "../store/copy-state.ts";
import type { StoreTrouble, TroubleKind } from "../store/trouble.ts";
import type { CopyCondition } from "./copy-condition.ts";
import type { Budgets } from "./engine.ts";
import type { NotedTrouble } from "./trouble-state.ts";

/** The contact of a node, on clocks that all processes of the machine share. */
export interface Contact {
  readonly hasContact: boolean;
  /** Milliseconds between two polls of the node. */
  readonly pollMs: number;
  /** As {@link Store.namesEntries}; absent: false. */
  readonly namesEntries?: boolean;
  /** Monotonic milliseconds of the machine at which the copy was proved to be the newest, or earlier. */
  readonly provedAt: number;
  /** The same moment in Unix milliseconds. */
  readonly provedWall: number;
  /** The copy's own state. */
  readonly copy: CopyFacts;
  /** Absent if nothing is wrong. */
  readonly trouble?: NotedTrouble | undefined;
}

/** The part of {@link CopyState} that its node finds out. */
type CopyFacts = Pick<CopyState, "kind" | "since" | "otherLog" | "wentBack">;

/** A node's copy for its workers. */
export interface WorkerView {
  /** The folder of the copy; undefined in memory, where no other process can read it. */
  readonly folder: string | undefined;
  readonly budgets: Budgets;
  readonly contact: Contact;
}

/** Monotonic milliseconds that are the same in all processes of the machine. */
export function machineNow(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}

/** The contact of a node whose copy was proved to be the newest some time ago. */
export function contactOf(
  hasContact: boolean,
  pollMs: number,
  ageMs: number,
  wallNow: number,
  condition: CopyCondition,
): Contact {
  const { kind, since, otherLog, wentBack } = condition;
  const copy: CopyFacts = {
    kind,
    since,
    ...(otherLog !== undefined && { otherLog: otherLog.slice(0, 8) }),
    ...(wentBack !== undefined && { wentBack }),
  };
  return { hasContact, pollMs, provedAt: machineNow() - ageMs, provedWall: wallNow - ageMs, copy };
}

/** The trouble of a node with its engine, and when nothing is answered any more. */
export function troubleOf(contact: Contact, maxStalenessMs: number): StoreTrouble | undefined {
  const { copy, provedWall } = contact;
  const ofCopy = TROUBLE_OF_COPY.get(copy.kind);
  const trouble =
    ofCopy === undefined ? contact.trouble : { kind: ofCopy, since: copy.since, isReadable: false };
  if (trouble === undefined) return undefined;
  return { ...trouble, stopsAt: Number.isFinite(provedWall) ? provedWall + maxStalenessMs : trouble.since };
}

/** The trouble that a copy itself is, which counts more than the last error. */
const TROUBLE_OF_COPY: ReadonlyMap<CopyState["kind"], TroubleKind> = new Map<CopyState["kind"], TroubleKind>([
  ["rebuilding", "rebuilding"],
  ["no_log", "other_log"],
  ["other_log", "other_log"],
  ["broken_log", "other_log"],
]);

/** The milliseconds since a copy was proved to be the newest. */
export function ageOf({ provedAt, provedWall }: Contact): number {
  return Math.max(0, machineNow() - provedAt, Date.now() - provedWall);
}

/** The state of a copy for operators. */
export function copyStateOf({ hasContact, provedWall, copy }: Contact, maxStalenessMs: number): CopyState {
  const isKnown = Number.isFinite(provedWall);
  return {
    ...copy,
    hasContact,
    provedAt: isKnown ? provedWall : undefined,
    stopsAt: isKnown ? provedWall + maxStalenessMs : copy.since,
  };
}
