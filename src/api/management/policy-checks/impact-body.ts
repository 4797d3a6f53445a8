/** The answer of a comparison, with the names of users or without them. */

import type { ChangedAccess, Changes, ConcernedAccess, Impact } from "../../../impact/access-change.ts";

/** @param isNamed false: the caller may not read users, so nothing names one */
export function impactBody(
  { revision, users, gains, losses, alone, leftOut }: Impact,
  isNamed: boolean,
): object {
  const concerned = (one: ConcernedAccess): object => concernedBody(one, isNamed);
  return {
    revision,
    users,
    gains: gains.map(concerned),
    losses: losses.map(concerned),
    alone: aloneBody(alone),
    left_out: leftOut,
  };
}

function aloneBody({ gains, losses }: Changes<ChangedAccess>): object {
  return { gains: gains.map(accessBody), losses: losses.map(accessBody) };
}

function concernedBody({ users, some, user, via, ...access }: ConcernedAccess, isNamed: boolean): object {
  if (isNamed) return { users, some, user, via, ...accessBody(access) };
  // An example has the user's name where a policy has `${user}`: such parts of it are left out.
  const { resource, context, ...rest } = access;
  const isSilent = (part: unknown): boolean => !JSON.stringify(part ?? "").includes(user);
  return {
    users,
    ...accessBody({
      ...rest,
      ...(resource !== undefined && isSilent(resource) && { resource }),
      context: isSilent(context) ? context : {},
    }),
  };
}

function accessBody({ anyResource, context, deniedBy, ...access }: ChangedAccess): object {
  return {
    ...access,
    any_resource: anyResource,
    ...(Object.keys(context).length > 0 && { context }),
    ...(deniedBy !== undefined && { denied_by: deniedBy }),
  };
}
