/** The answer of a comparison, with the names of users or without them. */

import type {
  ChangedAccess,
  Changes,
  ConcernedAccess,
  Impact,
} from "../../../insight/impact/access-change.ts";

/** @param isNamed false: the caller may not read users, so nothing names one */
export function impactBody(
  { revision, users, gains, losses, alone, summary, leftOut }: Impact,
  isNamed: boolean,
): object {
  const concerned = (one: ConcernedAccess): object => concernedBody(one, isNamed);
  return {
    revision,
    users,
    gains: gains.map(concerned),
    losses: losses.map(concerned),
    alone: aloneBody(alone),
    summary,
    left_out: leftOut,
  };
}

function aloneBody({ gains, losses }: Changes<ChangedAccess>): object {
  return { gains: gains.map(accessBody), losses: losses.map(accessBody) };
}

function concernedBody({ users, some, user, via, ...access }: ConcernedAccess, isNamed: boolean): object {
  if (isNamed) return { users, some, user, via, ...accessBody(access) };
  // An example has the user's name where a policy has `${user}`: such parts of it are left out.
  const { resource, context, line, ...rest } = access;
  const { user: _only, notFor: _others, ...unnamed } = line;
  const isSilent = (part: unknown): boolean => !JSON.stringify(part ?? "").includes(user);
  return {
    users,
    ...accessBody({
      ...rest,
      line: unnamed,
      ...(resource !== undefined && isSilent(resource) && { resource }),
      context: isSilent(context) ? context : {},
    }),
  };
}

/** The whole of a line without its example, whose parts stand beside it. */
function lineBody(line: ChangedAccess["line"]): object {
  const { kind, actions, resource, known, exceptions, conditions, comparison, certainty, why, user, notFor } =
    line;
  return {
    kind,
    actions,
    resource,
    known_actions: known,
    except: exceptions,
    conditions,
    comparison,
    certainty,
    possible: line.example?.possible ?? false,
    allowed_by: line.allowedBy,
    denied_by: line.deniedBy,
    ...(why !== undefined && { why }),
    ...(user !== undefined && { user }),
    ...(notFor !== undefined && { not_for: notFor }),
  };
}

function accessBody({ line, anyResource, context, deniedBy, ...access }: ChangedAccess): object {
  return {
    ...access,
    line: lineBody(line),
    any_resource: anyResource,
    ...(Object.keys(context).length > 0 && { context }),
    ...(deniedBy !== undefined && { denied_by: deniedBy }),
  };
}
