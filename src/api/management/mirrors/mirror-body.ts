/** A mirror on the wire. */

import type { ShownMirror } from "../../../mirroring/administration.ts";

const MOST_HEADS = 1_000;

/** The body of a mirror, with at most so many of its heads. */
export function mirrorBody({ mirror, report, isProtected }: ShownMirror, mostHeads = MOST_HEADS): object {
  const waiting = report.heads.filter(({ since }) => since !== undefined);
  const others = report.heads.filter(({ since }) => since === undefined);
  return {
    id: mirror.name,
    name: mirror.name,
    region: mirror.region,
    source_repository: mirror.sourceRepository,
    storage_namespace: mirror.storageNamespace,
    default_branch: report.defaultBranch ?? null,
    state: report.phase,
    reason: report.reason,
    write_protection: isProtected ? "enforced" : "unknown",
    created_at: mirror.createdAt,
    created_by: mirror.createdBy,
    branches: mirror.branches,
    progress: {
      branches: report.heads.length,
      commits_recorded: report.commitsRecorded,
      commits_pending: report.commitsPending,
      oldest_pending_at: report.oldestPendingAt ?? null,
      objects_missing: report.objectsMissing,
      objects_gone_at_source: report.goneAtSource,
      external_objects: report.externalObjects,
      lag_seconds: report.lagSeconds,
      acted_at: report.actedAt ?? null,
    },
    heads: [...waiting, ...others].slice(0, mostHeads).map((head) => ({
      branch: head.branch,
      source: head.source,
      mirror: head.mirror ?? null,
      since: head.since ?? null,
    })),
  };
}
