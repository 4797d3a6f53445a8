/** Query parameters that operations of both REST APIs read. */

import { AuthorizerError } from "../../errors.ts";
import type { Call } from "../../http/route.ts";

/** The texts that clients send for a boolean. */
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["", false],
  ["false", false],
  ["true", true],
]);

/**
 * Returns whether a query asks for the effective policies; throws "invalid_request" for any other value than a
 * boolean.
 */
export function isEffective({ query }: Pick<Call, "query">): boolean {
  const effective = BOOLEANS.get(query.get("effective") ?? "");
  if (effective === undefined)
    throw new AuthorizerError("invalid_request", "effective: must be true or false");
  return effective;
}

/** The external principal that a query names; throws "invalid_request" where it names none. */
export function principalId({ query }: Pick<Call, "query">): string {
  const id = query.get("principalId");
  if (id === undefined) throw new AuthorizerError("invalid_request", "principalId: required");
  return id;
}
