/** The users for whom tokens of programs stand, as the configuration has them. */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import type { Directory } from "../../directory/directory.ts";
import type { WebUsers } from "../../identity/oidc/web-users.ts";
import type { DataParts } from "../data.ts";
import { protectedGroups } from "./scim.ts";

const AMOUNT = 1_000;

/** The rules. */
export function webUsers({ values, directory }: DataParts): WebUsers {
  return {
    entries: values["authorizer.sts.users"],
    groupsOf: (username) => groupsOf(directory, username),
    isProtected: protectedGroups(values),
  };
}

async function groupsOf({ users }: Directory, username: string): Promise<readonly string[]> {
  const names: string[] = [];
  let after = "";
  try {
    do {
      const page = await users.groups(username, { amount: AMOUNT, after });
      names.push(...page.results.map(({ name }) => name));
      after = page.next_offset;
    } while (after !== "");
  } catch (error) {
    if (!isErrorCode(error, "not_found")) throw error;
  }
  return names;
}
