/** Lists that are remembered between reads of users: the policies of groups, and what users with very many have. */

import type { StoredPolicy } from "@svc-authorizer/policy/model/held-policies.ts";
import type { DirectoryChange } from "../directory.ts";
import { type ListedGroup, SharedMemberships } from "./memberships.ts";
import { RememberedLists } from "./remembered-lists.ts";

/** Groups or policies of a user from which on they are remembered: below, to read them again takes no longer. */
export const LONG_LIST = 64;

/** The lists of one directory. */
export class HolderLists {
  /** Memberships by the lists that are kept here. */
  readonly memberships = new SharedMemberships();
  /** Policies of groups, which all members of a group share, and of users with many. */
  readonly policies = new RememberedLists<StoredPolicy>(({ users = [], groups = [], policies = [] }) => ({
    holders: [...users, ...groups],
    members: policies,
  }));
  /** Groups of users with many. */
  readonly groups = new RememberedLists<ListedGroup>(({ users = [], groups = [] }) => ({
    holders: users,
    members: groups,
  }));

  /** See {@link RememberedLists.tell}. */
  tell(revision: number, change: DirectoryChange | undefined): void {
    this.policies.tell(revision, change);
    this.groups.tell(revision, change);
  }

  /** See {@link RememberedLists.clear}. */
  clear(): void {
    this.policies.clear();
    this.groups.clear();
  }
}
