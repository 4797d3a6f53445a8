/** Reads the input of decisions about a user as it was at an earlier revision. */

import { isPossibleName } from "../../model/names.ts";
import type { History } from "../../store/port.ts";
import type { Principal } from "../directory.ts";
import { GroupPolicies } from "./group-policies.ts";
import { PolicyCache } from "./policy-cache.ts";
import { PrincipalReader } from "./principals.ts";
import { Reader } from "./reader.ts";

/**
 * Returns the user with its effective policies at a revision, or undefined if there was no such user.
 * @throws AuthorizerError "not_found" for a revision that is not kept any more
 */
export async function principalAt(
  history: Pick<History, "snapshotAt">,
  revision: number,
  username: string,
): Promise<Principal | undefined> {
  const snapshot = await history.snapshotAt(revision);
  try {
    if (!isPossibleName(username)) return undefined;
    // What is remembered of the present must not answer for the past.
    const reader = new Reader(snapshot, new PolicyCache());
    return await new PrincipalReader(reader, new GroupPolicies()).read(username);
  } finally {
    snapshot.release();
  }
}
