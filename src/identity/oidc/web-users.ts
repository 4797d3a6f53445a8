/** The users that a token of an identity provider may stand for when it is exchanged. */

import type { OidcSubject } from "./oidc.ts";

/** One entry of `authorizer.sts.users`: tokens of the issuer with exactly these claims stand for the user. */
interface WebUser {
  /** Name of the issuer, as in `authorizer.oidc.issuers`. */
  readonly issuer: string;
  readonly claims: ReadonlyMap<string, string>;
  readonly user: string;
}

/** The claims of a verified token. */
type Claims = Readonly<Record<string, unknown>>;

/** A user whose name a token says. */
interface WebMember {
  readonly userId: string;
  readonly groups: readonly string[];
}

/** The rules by which tokens stand for users. */
export interface WebUsers {
  /** `authorizer.sts.users`. */
  readonly entries: readonly WebUser[];
  /** The groups of an active user, and its internal id; undefined where nobody has the name. */
  readonly memberOf: (username: string) => Promise<WebMember | undefined>;
  /** True for a group that makes administrators (`authorizer.scim.protected_groups`). */
  readonly isProtected: (group: string) => boolean;
}

/**
 * The users that a verified token stands for: those of matching entries, and the one whom it names, where its issuer may
 * name users of the directory. A name alone leads to no administrator, unless `assert_groups` of the issuer has the very
 * names of the user's protected groups: at many providers people choose their names.
 * @returns names, with the internal id of a user whose groups were looked at: another one of the name is not meant
 */
export async function usersOf(
  { issuer, username }: Pick<OidcSubject, "issuer" | "username">,
  claims: Claims,
  { entries, memberOf, isProtected }: WebUsers,
): Promise<ReadonlyMap<string, string | undefined>> {
  const named = entries.filter((entry) => entry.issuer === issuer.name && has(claims, entry.claims));
  const users = new Map<string, string | undefined>(named.map(({ user }) => [user, undefined]));
  if (!issuer.directoryUsers || users.has(username)) return users;
  const isNamed = (group: string): boolean => !/[*?]/.test(group) && issuer.assertGroups.includes(group);
  const member = await memberOf(username);
  if (member === undefined) return users;
  const isOpen = member.groups.every((group) => !isProtected(group) || isNamed(group));
  return isOpen ? users.set(username, member.userId) : users;
}

/** An entry without claims would be open to every token of the issuer: it matches none. */
function has(claims: Claims, wanted: ReadonlyMap<string, string>): boolean {
  return (
    wanted.size > 0 &&
    [...wanted].every(([name, value]) => Object.hasOwn(claims, name) && claims[name] === value)
  );
}
