/** Reads the input of decisions about a user as it was at an earlier revision. */

import { isPossibleName } from "@svc-authorizer/policy/model/names.ts";
import type { History } from "../../store/port.ts";
import type { Principal } from "../principal.ts";
import { HolderLists } from "./holder-lists.ts";
import { PolicyCache } from "./policy-cache.ts";
import { PrincipalReader } from "./principals.ts";
import { Reader } from "./reader.ts";

/**
 * Returns the user with its effective policies at a revision, or undefined if there was no such user.
 * @param groups groups that were asserted for an unknown user, who then has their policies
 * @throws AuthorizerError "not_found" for a revision that is not kept any more
 */
export async function principalAt(
  history: Pick<History, "snapshotAt">,
  revision: number,
  username: string,
  groups: readonly string[] = [],
): Promise<Principal | undefined> {
  const snapshot = await history.snapshotAt(revision);
  try {
    if (!isPossibleName(username)) return undefined;
    // What is remembered of the present must not answer for the past.
    const reader = new Reader(snapshot, new PolicyCache());
    const principals = new PrincipalReader(reader, new HolderLists());
    const user = await principals.read(username);
    if (user !== undefined || groups.length === 0) return user;
    return await principals.readGroups(groups);
  } finally {
    snapshot.release();
  }
}
