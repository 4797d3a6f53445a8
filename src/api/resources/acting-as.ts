/** Writes that let somebody act as a user. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { Grant, GrantChecks, Judged, RestCall } from "../rest/grants.ts";

/**
 * Runs a write that lets the caller act as a user, and compares the policies of the two: a caller with another user's
 * credentials could act as that user.
 * @param doing for people, with a verb: `creating credentials for`
 */
export async function checkActingAs<T>(
  call: RestCall,
  { user, doing }: { readonly user: string; readonly doing: string },
  escalation: GrantChecks,
  write: () => Promise<T>,
): Promise<Judged<T>> {
  if (user === call.caller.name) return { result: await write(), warnings: [] };
  const grant: Grant = {
    what: `${doing} ${JSON.stringify(user)}`,
    actsAs: user,
    policies: async (state) => {
      const principal = await state.principalOnceActive(user);
      if (principal === undefined) throw new AuthorizerError("not_found", "the user does not exist");
      return principal.policies;
    },
  };
  return escalation.checkGrant(call, grant, write);
}
