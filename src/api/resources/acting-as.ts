/** Writes that let somebody act as a user. */

import type { RestCall } from "../rest/grants.ts";
import type { RestParts } from "../rest/parts.ts";

/**
 * Compares the policies of a caller and of a user: a caller with another user's credentials could act as that user.
 * @param doing for people, with a verb: `creating credentials for`
 * @returns headers that warn
 */
export async function checkActingAs(
  call: RestCall,
  user: string,
  doing: string,
  { escalation, holdings }: Pick<RestParts, "escalation" | "holdings">,
): Promise<readonly string[]> {
  if (user === call.caller.name) return [];
  return escalation.checkGrant(call, {
    what: `${doing} ${JSON.stringify(user)}`,
    actsAs: user,
    policies: () => holdings.ofUser(user),
  });
}
