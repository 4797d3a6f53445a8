/** The part of a process that is one of several workers, and what it gets from its primary (spec/journal §7). */

import type { ShadowReportsOfProcesses } from "../../decisions/shadow/shadow-report.ts";
import type { FailureSharing } from "../../identity/failed-attempts.ts";
import type { ActivityReport } from "../../insight/overview/activity.ts";
import type { WorkerView } from "../../journal/contact.ts";
import type { LineRelay } from "../../observe/output/relay-target.ts";
import type { ProxyAddresses } from "../listeners/listen.ts";

/** The things that a worker is given. */
export interface WorkerRole {
  /** The one-time token of the set-up; undefined where the set-up is done. */
  readonly setupToken: string | undefined;
  readonly sharing: FailureSharing;
  /** Hands audit records to the primary. */
  readonly relayAudit: LineRelay;
  /** Asks for the reports of the shadows of all workers. */
  readonly shadowReports: () => Promise<ShadowReportsOfProcesses>;
  /** Asks for the decisions of all workers. */
  readonly activity: () => Promise<ActivityReport>;
}

/** Kinds of questions and news between primary and workers. */
export const KIND = {
  /** To a worker: begin to serve. Its answer is {@link WorkerAddresses}. */
  start: "start",
  /** To a worker: its metrics. */
  metrics: "metrics",
  /** To a worker: the report of its shadow; to the primary: those of all workers. */
  shadow: "shadow",
  /** To a worker: its decisions over time; to the primary: those of all workers. */
  activity: "activity",
  /** To a worker: tokens, certificates and the shadow candidate are read again. */
  reload: "reload",
  /** To a worker: finish and end. */
  stop: "stop",
  /** To a worker: something was committed. */
  committed: "committed",
  /** To either: an attempt to authenticate failed. */
  failure: "failure",
  /** To the primary: commit. */
  commit: "commit",
  /** To the primary: make other nodes hold back. */
  takeTurn: "take-turn",
  /** To the primary: follow the log to its newest entry. */
  catchUp: "catch-up",
  /** To the primary: prove that the copy holds the newest entry. */
  prove: "prove",
  /** To a worker: the primary's contact to the database. */
  contact: "contact",
  /** To the primary: write lines of the log. */
  lines: "lines",
  /** To the primary: write lines of the audit log. */
  audit: "audit",
} as const;

/** Addresses at which a worker serves. */
export interface WorkerAddresses extends ProxyAddresses {
  readonly service: string;
  readonly user: string;
}

/** The body of {@link KIND.start}. */
export interface WorkerStart {
  /** The node's copy of a shared database; undefined with a store of one process. */
  readonly copy: WorkerView | undefined;
  readonly values: unknown;
  readonly version: string;
  readonly nextFreePort: boolean;
  readonly setupToken: string | undefined;
}
