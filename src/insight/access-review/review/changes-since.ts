/** The changes of the directory that a review shows. */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import type { ReviewedChange } from "@svc-authorizer/policy/records/review/review.ts";
import type { DirectoryHistory } from "../../../directory/history.ts";
import type { CommittedChange } from "../../../store/port.ts";
import type { ReviewJob } from "../access-jobs.ts";

/** Most changes of a review, and most that are read for it. */
const MOST_CHANGES = 1_000;
const MOST_ENTRIES = 20_000;
const ENTRIES_PER_READ = 500;
const FIRST_REVISION = 1;

/** Changes since a time, newest first. */
export async function changesSince(
  history: DirectoryHistory,
  since: number,
): Promise<Pick<ReviewJob, "changes" | "moreChanges" | "changesLost">> {
  const found: ReviewedChange[] = [];
  let after: number;
  let changesLost = false;
  try {
    after = await history.revisionAt(new Date(since));
  } catch (error) {
    if (!isErrorCode(error, "not_found")) throw error;
    const oldest = await history.keptFrom();
    changesLost = oldest > FIRST_REVISION;
    after = changesLost ? oldest : 0;
  }
  for (let read = 0; read < MOST_ENTRIES; ) {
    const entries = await history.entries(after, ENTRIES_PER_READ);
    if (entries === undefined || entries.length === 0) break;
    found.push(...entries.flatMap(changeOf));
    read += entries.length;
    after = entries.at(-1)?.revision ?? after;
  }
  const changes = found.reverse().slice(0, MOST_CHANGES);
  return {
    changes,
    moreChanges: found.length > changes.length || after < history.head.revision,
    changesLost,
  };
}

/** The change of an entry; none where it touched no user, group or policy. */
function changeOf({ revision, at, useCases }: CommittedChange): readonly ReviewedChange[] {
  const named = (kind: "users" | "groups" | "policies") => [
    ...new Set(useCases.flatMap(({ touched }) => touched?.[kind] ?? [])),
  ];
  const [users, groups, policies] = [named("users"), named("groups"), named("policies")];
  if (users.length + groups.length + policies.length === 0) return [];
  const actors = [...new Set(useCases.flatMap(({ actor }) => actor ?? []))];
  return [{ revision, at, actors, users, groups, policies }];
}
