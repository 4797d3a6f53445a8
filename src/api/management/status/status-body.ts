/** The answer about the state of the service. */

import type { ActivityReport } from "../../../insight/overview/activity.ts";
import type { DirectoryWarnings } from "../../../insight/overview/directory-warnings.ts";
import type { Status, StatusWhenStale } from "../../../insight/overview/status.ts";

const MINUTE_MS = 60_000;
const SECONDS = 1_000;

/** @param now Unix milliseconds */
export function statusBody(status: Status, now: number): object {
  const { node, version, startedAt, reasons, revision, stalenessMs, lagMs } = status;
  const { activity, refusals, warnings, changes, database } = status;
  return {
    node,
    version,
    started_at: timeOf(startedAt),
    ready: reasons.length === 0,
    reasons,
    ...(database !== undefined && { database: databaseBody(database) }),
    revision,
    ...(stalenessMs !== undefined && { staleness_ms: Math.round(stalenessMs) }),
    ...(lagMs !== undefined && { lag_ms: Math.round(lagMs) }),
    decisions: {
      since: timeOf(activity.since),
      ...(activity.unanswered > 0 && { unanswered: activity.unanswered }),
      per_second: perSecond(activity, now),
      minutes: activity.minutes.map(({ at, ...counts }) => ({ at: timeOf(at), ...counts })),
    },
    ...(refusals !== undefined && { refusals_by_policy: refusals }),
    ...(warnings !== undefined && { warnings: warningsBody(warnings) }),
    changes,
  };
}

/** The answer of a node that may answer nothing from its copy. */
export function statusBodyWhenStale({ reasons, database }: StatusWhenStale): object {
  return { ready: false, reasons, ...(database !== undefined && { database: databaseBody(database) }) };
}

function databaseBody({ kind, since, stopsAt, message }: NonNullable<Status["database"]>): object {
  const stops = stopsAt === undefined ? {} : { decisions_stop_at: timeOf(stopsAt) };
  return { trouble: kind, since: timeOf(since), ...stops, message };
}

/** Decisions per second of the last whole minute and the one that runs. Times to come are of before the clock was set back. */
function perSecond({ since, minutes }: ActivityReport, now: number): number {
  const minuteBefore = (Math.floor(now / MINUTE_MS) - 1) * MINUTE_MS;
  const from = since > now ? minuteBefore : Math.max(since, minuteBefore);
  const seconds = Math.max(1, (now - from) / SECONDS);
  const begin = Math.floor(from / MINUTE_MS) * MINUTE_MS;
  const count = minutes
    .filter(({ at }) => at >= begin && at <= now)
    .reduce((sum, { allowed, refused }) => sum + allowed + refused, 0);
  return Math.round((count / seconds) * 10) / 10;
}

function warningsBody({
  revision,
  complete,
  oldKeys,
  doubtfulPolicies,
  administrators,
}: DirectoryWarnings): object {
  const keys = oldKeys.some.map(({ user, accessKeyId, creationDate }) => {
    return { user, access_key_id: accessKeyId, creation_date: creationDate };
  });
  return {
    revision,
    complete,
    old_keys: { count: oldKeys.count, some: keys },
    doubtful_policies: doubtfulPolicies,
    administrators,
  };
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
