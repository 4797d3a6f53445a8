/** Administrators in effect: who is one, and who can become one by which steps. */

import type { AccessWorld } from "@svc-authorizer/policy/analysis/escalation/access-world.ts";
import {
  type EscalationOptions,
  escalationPaths,
} from "@svc-authorizer/policy/analysis/escalation/escalation-paths.ts";
import type { Review, ReviewedAdministrator } from "@svc-authorizer/policy/records/review/review.ts";
import type { DirectoryImage } from "../directory-image.ts";

/** The administrators, those without steps first, then by the number of their steps. */
export function administratorsOf(
  { users, groups, policies }: DirectoryImage,
  options: EscalationOptions,
): Pick<Review, "administrators" | "undecided"> {
  const world: AccessWorld = {
    users: new Map(
      users.map(({ name, groups: own, policies: direct }) => [name, { groups: own, policies: direct }]),
    ),
    groups: new Map(groups.map(({ name, policies: own }) => [name, own])),
    policies: new Map(policies.map(({ name, statement }) => [name, statement])),
  };
  const report = escalationPaths(world, options);
  const already = report.administrators.map((user): ReviewedAdministrator => ({ user, steps: [] }));
  const becoming = report.paths.map(
    ({ user, steps }): ReviewedAdministrator => ({
      user,
      steps: steps.map(({ operation, as, values, allowedBy }) => ({
        operation,
        as,
        values,
        allowed_by: allowedBy,
      })),
    }),
  );
  becoming.sort((a, b) => a.steps.length - b.steps.length);
  return { administrators: [...already, ...becoming], undecided: report.undecided };
}
