/** What a caller of the service listener may do (security.md §1.2). */

import { AuthorizerError } from "../errors.ts";

/** All scopes, in the order of the contract. */
export const SCOPES = ["decide", "search", "read", "secrets", "write", "metrics"] as const;

/** One of {@link SCOPES}. */
export type Scope = (typeof SCOPES)[number];

/** A caller that proved itself. */
export interface Access {
  /** Name of the token, for logs; never the token. */
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
}

/** What the data server's own tokens hold. */
export const ALL_SCOPES: ReadonlySet<Scope> = new Set(SCOPES);

/** Throws "not_allowed" naming the scope, unless the caller holds it. */
export function requireScope(access: Access, scope: Scope): void {
  if (!access.scopes.has(scope)) {
    throw new AuthorizerError("not_allowed", `this call needs a token with scope ${scope}`);
  }
}
