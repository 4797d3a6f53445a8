/** Callers of the service listener, and the scopes that calls need (spec/security §1.2). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { Call, Caller } from "../http/route.ts";

/** All scopes, in the order of the contract. */
export const SCOPES = [
  "decide",
  "search",
  "read",
  "replicate",
  "secrets",
  "write",
  "metrics",
  "scim",
] as const;

/** One of {@link SCOPES}. */
export type Scope = (typeof SCOPES)[number];

/** A service with a valid token. */
export interface ServiceCaller extends Caller {
  /** Name of the token, for logs; never the token. */
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Patterns of the names of groups that its requests may assert for an unknown subject; absent: none. */
  readonly assertGroups?: readonly string[];
  /** Unix milliseconds at which the token is over; absent where it holds until the configuration changes. */
  readonly until?: number;
}

/** The scopes of the data server's own tokens. */
export const ALL_SCOPES: ReadonlySet<Scope> = new Set(SCOPES);

/** A caller of an operation that needs no token. */
export const ANONYMOUS_SERVICE: ServiceCaller = { name: "", scopes: new Set() };

/** Throws "not_allowed" naming the scope, unless the caller holds it. */
export function requireScope(caller: ServiceCaller, scope: Scope): void {
  if (!caller.scopes.has(scope)) {
    throw new AuthorizerError("not_allowed", `this call needs a token with scope ${scope}`);
  }
}

/** A call by a service. */
export type ServiceCall = Call<ServiceCaller>;
