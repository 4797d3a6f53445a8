/** Makes a review (spec/decision-log §5.4). */

import type { EscalationOptions } from "@svc-authorizer/policy/analysis/escalation/escalation-paths.ts";
import type { ResourceType } from "@svc-authorizer/policy/model/resource-type.ts";
import type { Review } from "@svc-authorizer/policy/records/review/review.ts";
import type { ReviewJob } from "../access-jobs.ts";
import type { DirectoryImage } from "../directory-image.ts";
import { type KnownUse, UseOf } from "../use-of.ts";
import { administratorsOf } from "./administrators.ts";
import { reviewedAccess } from "./reviewed-access.ts";

/** The resource types, and the settings of the search for administrators. */
export interface ReviewVocabulary extends Omit<EscalationOptions, "isOver"> {
  readonly types: readonly ResourceType[];
}

/** Most accepted findings of a review. */
const MOST_ACCEPTED = 1_000;
const DAY_SECONDS = 86_400;
const OLD_KEY_DAYS = 365;
/** Milliseconds after which no search for steps begins, and then no look at rights. */
const STEPS_MS = 25_000;
const RIGHTS_MS = 45_000;

/** Does the job. */
export function reviewOf(
  job: ReviewJob,
  image: DirectoryImage,
  known: KnownUse,
  { types, ...escalation }: ReviewVocabulary,
): Review {
  const began = performance.now();
  const isAfter = (milliseconds: number) => () => performance.now() - began > milliseconds;
  const use = new UseOf(known);
  const { administrators, undecided } = administratorsOf(image, { ...escalation, isOver: isAfter(STEPS_MS) });
  const { partition } = escalation;
  const { access, left } = reviewedAccess(image, { partition, types, use, isOver: isAfter(RIGHTS_MS) });
  const now = Math.floor(job.now / 1_000);
  const keys = image.users.flatMap(({ name: user, keys: own }) =>
    own.map(({ id: access_key_id, created: creation_date }) => ({ access_key_id, user, creation_date })),
  );
  const old_keys = keys
    .filter(({ creation_date }) => now - creation_date > OLD_KEY_DAYS * DAY_SECONDS)
    .sort((a, b) => a.creation_date - b.creation_date)
    .map((key) => {
      const used = use.thing("key", key.access_key_id, key.creation_date);
      return used === undefined ? key : { ...key, last_used: used.last };
    });
  const accepted = image.policies.flatMap(({ name: policy, accept = [] }) =>
    accept.map((one) => ({ policy, ...one })),
  );
  const unlisted = Math.max(0, accepted.length - MOST_ACCEPTED);
  return {
    at: new Date(job.now).toISOString(),
    since: new Date(job.since).toISOString(),
    revision: image.revision,
    node: job.node,
    ...(known.countedSince !== undefined && { counted_since: new Date(known.countedSince).toISOString() }),
    counts: {
      users: image.users.length,
      groups: image.groups.length,
      policies: image.policies.length,
      keys: keys.length,
    },
    administrators,
    undecided,
    access,
    accepted: accepted.slice(0, MOST_ACCEPTED),
    old_keys,
    changes: job.changes,
    warnings: [...warningsOf(job, use, { undecided: undecided.length, left, unlisted }), ...known.doubts],
    truncated: left > 0 || unlisted > 0 || job.moreChanges,
  };
}

interface Missing {
  /** Users whose search for steps did not end. */
  readonly undecided: number;
  /** Users whose rights are left out. */
  readonly left: number;
  /** Accepted findings that are left out. */
  readonly unlisted: number;
}

function warningsOf(job: ReviewJob, use: UseOf, { undecided, left, unlisted }: Missing): readonly string[] {
  const warnings: [boolean, string][] = [
    [undecided > 0, `whether ${undecided} users can become administrators could not be found out in time`],
    [left > 0, `the rights of ${left} users are left out for want of time`],
    [unlisted > 0, `${unlisted} findings of lint that policies accept are left out`],
    [job.changesLost, "changes before the oldest that is kept are left out (authorizer.history.keep)"],
    [job.moreChanges, "there are more changes than are shown"],
    [
      use.served > 0,
      "data servers decide by themselves: times of last use of statements leave out what they decided",
    ],
  ];
  return warnings.filter(([applies]) => applies).map(([, text]) => text);
}
