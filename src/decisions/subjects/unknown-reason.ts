/** Reasons why nothing speaks for a subject. */

import { MOST_GROUPS } from "./asserted-groups.ts";

/**
 * The reason why nothing speaks for a subject. `too_many_groups`: its list of groups is too long. `groups_overage`: its token says
 * that its groups are kept elsewhere, as Entra's does for a user of many.
 */
export type UnknownReason = "unknown_user" | "invalid_token" | "too_many_groups" | "groups_overage";

/** The reasons for people. */
export const UNKNOWN_TEXTS: Readonly<Record<UnknownReason, string>> = {
  unknown_user: "unknown user",
  invalid_token: "invalid token",
  too_many_groups: `more than ${MOST_GROUPS} groups`,
  groups_overage: "the token does not have the groups",
};

/** The groups of a verified token. */
export interface SignedGroups {
  /** True: the token says that its groups are kept elsewhere, and has none. */
  readonly groupsAreElsewhere: boolean;
}
