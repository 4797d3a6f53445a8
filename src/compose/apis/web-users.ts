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
    groupsOf: (username) => groupsOf(directory, username),
    isProtected: protectedGroups(values),
  };
}

/** All groups of a user, read from one state: a group that is renamed meanwhile is not missed between two pages. */
async function groupsOf({ users }: Directory, username: string): Promise<readonly string[]> {
  try {
    const memberships = await users.memberships(username, Number.POSITIVE_INFINITY);
    return memberships.map(({ group }) => group);
  } catch (error) {
    if (!isErrorCode(error, "not_found")) throw error;
    return [];
  }
}
