/** The findings of a shadow, for people and programs (spec/decision-log §4.2). */

import type { Effect, StatementName } from "@svc-authorizer/policy/model/decision.ts";
import type { DescribedQuestion } from "./shadow-question.ts";

/** Differences of a report. */
const MOST_DIFFERENCES = 1_000;

/** The candidate that is compared. */
export interface ShadowCandidate {
  /** `authorizer.shadow.candidate`. */
  readonly source: string;
  /** A whole directory, or policies that take the place of those of the same name. */
  readonly kind: "data_set" | "policies";
  /** RFC 3339. */
  readonly loaded_at: string;
}

/** A decision that the candidate changes. */
export interface ShadowDifference extends DescribedQuestion {
  /** RFC 3339. */
  readonly at: string;
  /** `wider`: refused by the service, allowed by the candidate; `narrower`: the other way round. */
  readonly change: "wider" | "narrower";
  /** Effect under the candidate. */
  readonly effect: Effect;
  /** The statement of the candidate that decides; where none does, the one of the service that decided. */
  readonly statement?: StatementName;
  /** `added`: the statement is of the candidate; `removed`: it is of the service. */
  readonly side?: "added" | "removed";
}

/** The comparison since the candidate was loaded. */
export interface ShadowReport {
  /** null while none could be loaded. Of several processes, the one that was loaded last. */
  readonly candidate: ShadowCandidate | null;
  /** The reason why the newest state of the files is not used. */
  readonly error?: string;
  /** `authorizer.shadow.share`. */
  readonly share: number;
  /** Decisions that were made again. */
  readonly decisions: number;
  /** Decisions that were drawn and not made again, because too many waited. */
  readonly dropped: number;
  /** Decisions that could not be made again. */
  readonly failed: number;
  readonly wider: number;
  readonly narrower: number;
  /** The last ones, newest first. */
  readonly differences: readonly ShadowDifference[];
}

/** The differences that one statement makes. */
interface ShadowGroup {
  readonly change: ShadowDifference["change"];
  /** Absent if no statement decided on either side. */
  readonly statement?: StatementName;
  readonly side?: "added" | "removed";
  readonly count: number;
}

/** The reports of the processes of one service. */
export interface ShadowReportsOfProcesses {
  readonly reports: readonly ShadowReport[];
  /** Processes that did not report in time. */
  readonly unanswered: number;
}

/** Joins the reports of the processes of one service; there is at least one. */
export function mergeShadowReports(reports: readonly ShadowReport[]): ShadowReport {
  const sum = (count: (report: ShadowReport) => number) =>
    reports.reduce((total, report) => total + count(report), 0);
  const [first] = reports as readonly [ShadowReport];
  const error = reports.find((report) => report.error !== undefined)?.error;
  return {
    candidate: lastLoaded(reports),
    ...(error !== undefined && { error }),
    share: first.share,
    decisions: sum(({ decisions }) => decisions),
    dropped: sum(({ dropped }) => dropped),
    failed: sum(({ failed }) => failed),
    wider: sum(({ wider }) => wider),
    narrower: sum(({ narrower }) => narrower),
    differences: reports
      .flatMap(({ differences }) => differences)
      .sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
      .slice(0, MOST_DIFFERENCES),
  };
}

/** A process that was replaced compares only since it loaded the candidate. */
function lastLoaded(reports: readonly ShadowReport[]): ShadowCandidate | null {
  const candidates = reports.flatMap(({ candidate }) => candidate ?? []);
  return candidates.sort((a, b) => (a.loaded_at < b.loaded_at ? 1 : -1))[0] ?? null;
}

/** Counts differences by the statement that makes them, most first. */
export function shadowGroups(differences: readonly ShadowDifference[]): readonly ShadowGroup[] {
  const groups = new Map<string, ShadowGroup & { count: number }>();
  for (const { change, statement, side } of differences) {
    const key = JSON.stringify([change, side, statement?.policy, statement?.statement]);
    const group = groups.get(key) ?? {
      change,
      ...(statement !== undefined && { statement }),
      ...(side !== undefined && { side }),
      count: 0,
    };
    groups.set(key, { ...group, count: group.count + 1 });
  }
  return [...groups.values()].sort((a, b) => b.count - a.count);
}
