/** Everything that is known of a mirror, from its state: for the process that acts for it, and for those that only read. */

import type { Mirror, MirrorPhase, MirrorReport } from "./mirror.ts";
import type { MirrorFindings, MirrorState } from "./progress/progress.ts";

/** Seconds, and passes, without a word of who acts for a mirror after which nobody is taken to. */
const SILENT_S = 900;
const SILENT_SCANS = 3;
/** Counts of a pass that nothing was done in. */
const NO_WORK = { recorded: 0, looks: 0, promotions: 0 };

/**
 * Makes the report of a state.
 * @param state undefined for a mirror for which nothing was done yet
 * @param nowMs Unix milliseconds
 */
export function reportOf(
  state: MirrorState | undefined,
  nowMs: number,
  work: MirrorReport["work"] = NO_WORK,
): MirrorReport {
  const findings = state?.findings;
  const heads = Object.entries(state?.branches ?? {}).map(([branch, { heads: seen, position }]) => ({
    branch,
    source: (seen.at(-1) ?? position)?.commit ?? "",
    mirror: position?.commit,
    since: seen[0] === undefined ? undefined : seconds(seen[0].at),
  }));
  const troubleSince = findings?.trouble && seconds(findings.trouble.since);
  const oldest = Math.min(
    ...[troubleSince, ...heads.map(({ since }) => since)].map((one) => one ?? Infinity),
  );
  return {
    ...phaseOf(findings),
    defaultBranch: findings?.defaultBranch,
    heads,
    commitsRecorded: findings?.recorded ?? 0,
    commitsPending: findings?.pending ?? 0,
    oldestPendingAt:
      findings?.oldestPendingSince === undefined ? undefined : seconds(findings.oldestPendingSince),
    objectsMissing: findings?.missing ?? 0,
    externalObjects: (state?.external ?? 0) + (findings?.blocking ?? 0),
    goneAtSource: state?.goneAtSource ?? 0,
    lagSeconds: Number.isFinite(oldest) ? Math.max(0, seconds(nowMs) - oldest) : 0,
    troubleSince,
    actedAt: state?.actedAt === undefined ? undefined : seconds(state.actedAt),
    work,
  };
}

/**
 * The report as it is true for a mirror for which nobody may act any more: what was found long ago says nothing about now.
 * @param scanMs time between two passes
 */
export function attended(
  report: MirrorReport,
  { createdAt }: Pick<Mirror, "createdAt">,
  { nowMs, scanMs }: { readonly nowMs: number; readonly scanMs: number },
): MirrorReport {
  const since = report.actedAt ?? createdAt;
  const silent = seconds(nowMs) - since;
  if (silent < Math.max(SILENT_S, SILENT_SCANS * seconds(scanMs))) return report;
  const when = new Date(since * 1_000).toISOString();
  const message = `nobody has acted for it since ${when}: look for a process of the service that has its region and reaches its store`;
  return {
    ...report,
    phase: isShown(report.phase) ? report.phase : "degraded",
    reason: report.reason === "" ? message : `${report.reason}; ${message}`,
    lagSeconds: Math.max(report.lagSeconds, silent),
  };
}

/** A failed mirror stays failed, and one that was never made is not degraded yet. */
function isShown(phase: MirrorPhase): boolean {
  return phase === "failed" || phase === "creating";
}

function phaseOf(findings: MirrorFindings | undefined): Pick<MirrorReport, "phase" | "reason"> {
  if (findings === undefined) return { phase: "creating", reason: "" };
  const { phase, reason, trouble } = findings;
  if (trouble === undefined) return { phase, reason };
  const since = new Date(trouble.since).toISOString();
  const message = `a data server does not answer since ${since}: ${trouble.message}`;
  return {
    phase: isShown(phase) ? phase : "degraded",
    reason: reason === "" ? message : `${reason}; ${message}`,
  };
}

function seconds(ms: number): number {
  return Math.floor(ms / 1_000);
}

/** The reason why nothing is done for a mirror whose region the configuration lacks. */
export function unknownRegion(region: string): string {
  return `authorizer.mirroring.regions has no region ${region} any more: nothing is done for this mirror`;
}
