/** The users that a token of an identity provider may stand for when it is exchanged. */

import type { OidcSubject } from "./oidc.ts";

/** One entry of `authorizer.sts.users`: tokens of the issuer with exactly these claims stand for the user. */
export interface WebUser {
  /** Name of the issuer, as in `authorizer.oidc.issuers`. */
  readonly issuer: string;
  readonly claims: ReadonlyMap<string, string>;
  readonly user: string;
}

/** The claims of a verified token. */
type Claims = Readonly<Record<string, unknown>>;

/**
 * True if a verified token stands for a user: where an entry says so, or where its issuer may name users of the directory
 * and names this one.
 */
export function standsFor(
  { issuer, username }: Pick<OidcSubject, "issuer" | "username">,
  claims: Claims,
  { user, entries }: { readonly user: string; readonly entries: readonly WebUser[] },
): boolean {
  if (issuer.directoryUsers && username === user) return true;
  return entries.some(
    (entry) => entry.user === user && entry.issuer === issuer.name && has(claims, entry.claims),
  );
}

/** The users that a verified token stands for where nobody is asked for by name; see {@link standsFor}. */
export function usersOf(
  { issuer, username }: Pick<OidcSubject, "issuer" | "username">,
  claims: Claims,
  entries: readonly WebUser[],
): ReadonlySet<string> {
  const named = entries.filter((entry) => entry.issuer === issuer.name && has(claims, entry.claims));
  return new Set([...(issuer.directoryUsers ? [username] : []), ...named.map(({ user }) => user)]);
}

/** An entry without claims would be open to every token of the issuer: it matches none. */
function has(claims: Claims, wanted: ReadonlyMap<string, string>): boolean {
  return (
    wanted.size > 0 &&
    [...wanted].every(([name, value]) => Object.hasOwn(claims, name) && claims[name] === value)
  );
}
