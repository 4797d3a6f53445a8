/** The users for whom tokens of programs stand, as the configuration has them. */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import type { Directory } from "../../directory/directory.ts";
import type { WebUsers } from "../../identity/oidc/web-users.ts";
import type { DataParts } from "../data.ts";
import { protectedGroups } from "./scim.ts";

/** The rules. */
export function webUsers({ values, directory }: DataParts): WebUsers {
  return {
    entries: values["authorizer.sts.users"],
    memberOf: (username) => memberOf(directory, username),
    isProtected: protectedGroups(values),
  };
}

/**
 * A user with all its groups, which are read from one state: a group that is renamed meanwhile is not missed between two pages.
 * The id is read before them, so that they are nobody's who had it later.
 */
async function memberOf({ users, sessions }: Directory, username: string) {
  try {
    const { userId } = await sessions.get(username);
    const memberships = await users.memberships(username, Number.POSITIVE_INFINITY);
    return { userId, groups: memberships.map(({ group }) => group) };
  } catch (error) {
    if (!isErrorCode(error, "not_found")) throw error;
    return undefined;
  }
}
