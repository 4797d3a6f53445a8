/** Everything that is known of a mirror, from its state: for the process that acts for it, and for those that only read. */

import type { MirrorReport } from "./mirror.ts";
import type { MirrorFindings, MirrorState } from "./progress/progress.ts";

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
  const oldest = Math.min(...heads.map(({ since }) => since ?? Number.POSITIVE_INFINITY));
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
    work,
  };
}

function phaseOf(findings: MirrorFindings | undefined): Pick<MirrorReport, "phase" | "reason"> {
  if (findings === undefined) return { phase: "creating", reason: "" };
  const { phase, reason, trouble } = findings;
  if (trouble === undefined) return { phase, reason };
  const since = new Date(trouble.since).toISOString();
  const message = `a data server does not answer since ${since}: ${trouble.message}`;
  // A failed mirror stays failed, and one that was never made is not degraded yet.
  const isShown = phase === "failed" || phase === "creating";
  return {
    phase: isShown ? phase : "degraded",
    reason: reason === "" ? message : `${reason}; ${message}`,
  };
}

function seconds(ms: number): number {
  return Math.floor(ms / 1_000);
}
