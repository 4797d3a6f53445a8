/** Query parameters that operations of both REST APIs read. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { Query } from "../../http/request/query.ts";
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
  return isTrue(query, "effective");
}

/** Returns a parameter that is a boolean, false by default; throws "invalid_request" for any other value. */
export function isTrue(query: Query, name: string): boolean {
  const value = BOOLEANS.get(query.get(name) ?? "");
  if (value === undefined) throw new AuthorizerError("invalid_request", `${name}: must be true or false`);
  return value;
}

/** The external principal that a query names; throws "invalid_request" where it names none. */
export function principalId({ query }: Pick<Call, "query">): string {
  const id = query.get("principalId");
  if (id === undefined) throw new AuthorizerError("invalid_request", "principalId: required");
  return id;
}
