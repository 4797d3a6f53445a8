/**
 * Users and groups as an identity provider manages them (spec/scim §3 to spec/scim §6): by their internal ids, with names
 * that can change, each call one commit. `write/provisioned-users.ts` and `write/provisioned-groups.ts` build it.
 */

import type { Group, User } from "@svc-authorizer/policy/model/entities.ts";

/** A user with its internal id, which is never reused. */
export interface ProvisionedUser extends User {
  readonly id: string;
}

/** The fields of a user that an identity provider sets. */
export type ProvisionedFields = Pick<
  User,
  "username" | "friendly_name" | "email" | "external_id" | "inactive" | "properties"
>;

/** A group with its internal id, which is never reused. */
export interface ProvisionedGroup extends Group {
  readonly id: string;
  readonly external_id?: string;
}

/** A member of a group, or a group of a user. */
export interface ProvisionedRef {
  readonly id: string;
  readonly name: string;
}

/** A change of a group; what is absent stays. Members are internal ids of users. */
export interface ProvisionedGroupChange {
  readonly name?: string;
  /** null removes it. */
  readonly external_id?: string | null;
  /** Exactly these members; then `remove`, then `add`. */
  readonly members?: readonly string[];
  readonly remove?: readonly string[];
  readonly add?: readonly string[];
}

/** Finds users by one exact text. */
export type ProvisionedUserKey = { readonly username: string } | { readonly external_id: string };

/** A person whom an identity provider vouches for, as a sign-in needs it (spec/sign-in §1). */
export interface SignedInPerson {
  /** Name of the issuer, for marks of memberships. */
  readonly issuer: string;
  /** Source of a user that is made; default `oidc`. */
  readonly source?: string;
  /** External id that users of this issuer have. */
  readonly externalId: string;
  /** The name of a user that is made, or that is found by name. */
  readonly username: string;
  /** Groups that the claims name, as far as the issuer may assert them. */
  readonly groups: readonly string[];
  /** Groups of a user that is made, which later claims do not take back. */
  readonly initialGroups: readonly string[];
  /** True: nobody is made without them. */
  readonly needsInitialGroups?: true;
  /** Names of protected groups that the configuration lets the issuer assert literally. */
  readonly isNamed: (group: string) => boolean;
  /** To be stored; undefined: what is stored stays. */
  readonly friendlyName: string | undefined;
  /** True: a user that is not there is made. */
  readonly mayCreate: boolean;
  /** True: a user that has the name and no external id is this person. */
  readonly byName: boolean;
}

/** The reasons for which a person is refused that an issuer vouches for. */
export type SignInFault =
  | "absent"
  | "inactive"
  | "name_taken"
  | "linked_elsewhere"
  | "protected"
  | "group_missing";

/** The user of a person who signed in, or why there is none. */
export type SignInOutcome =
  | { readonly username: string; readonly userId: string; readonly isNew: boolean }
  | { readonly fault: SignInFault };

/**
 * The use cases. Ids that name nothing are "not_found"; a name or external id that is taken is "already_exists";
 * groups that identity providers may not change, and their members, are "not_allowed".
 */
export interface Provisioning {
  /**
   * The user of a person, with the memberships that the claims say, in one commit: finds, links or makes it. Memberships
   * that this issuer made and no longer asserts end; those of others stay.
   */
  signIn(person: SignedInPerson): Promise<SignInOutcome>;
  user(id: string): Promise<ProvisionedUser>;
  /** The user with the text, or undefined. */
  findUser(key: ProvisionedUserKey): Promise<ProvisionedUser | undefined>;
  /** Calls `visit` for all users of one state, page by page in the order of their names. */
  eachUser(visit: (users: readonly ProvisionedUser[]) => void): Promise<void>;
  createUser(user: ProvisionedFields): Promise<ProvisionedUser>;
  /**
   * Replaces the fields of a user by those that `change` makes of it; it runs again after a lost race. A user who
   * becomes inactive loses all sessions.
   */
  changeUser(
    id: string,
    change: (user: ProvisionedUser) => ProvisionedFields | Promise<ProvisionedFields>,
  ): Promise<ProvisionedUser>;
  deleteUser(id: string): Promise<void>;
  /** The groups of users, by the id of the user. */
  groupsOf(ids: readonly string[]): Promise<ReadonlyMap<string, readonly ProvisionedRef[]>>;
  group(id: string): Promise<ProvisionedGroup>;
  /** The group with the name, or undefined. */
  findGroup(name: string): Promise<ProvisionedGroup | undefined>;
  /** Calls `visit` for all groups of one state, page by page in the order of their names. */
  eachGroup(visit: (groups: readonly ProvisionedGroup[]) => void): Promise<void>;
  createGroup(group: {
    readonly name: string;
    readonly external_id?: string;
    readonly members: readonly string[];
  }): Promise<ProvisionedGroup>;
  changeGroup(id: string, change: ProvisionedGroupChange): Promise<ProvisionedGroup>;
  deleteGroup(id: string): Promise<void>;
  /** The members of a group, in the order of their names. */
  members(id: string): Promise<readonly ProvisionedRef[]>;
}
