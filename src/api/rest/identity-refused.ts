/** Identities of clouds that are refused, for the audit log (spec/sign-in §3). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";

/**
 * Finds who somebody is, and tells why that fails.
 * @param tell gets the reason, without anything that was shown: `provider_away` where nobody can tell at present
 */
export async function identityRefused<T>(find: () => Promise<T>, tell: (reason: string) => void): Promise<T> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof AuthorizerError)
      tell(error.code === "unavailable" ? "provider_away" : error.message);
    throw error;
  }
}
