/** Policies and lists that are remembered between reads of users: those of groups, and of users with very many. */

import type { StoredPolicy } from "@svc-authorizer/policy/model/held-policies.ts";
import type { DirectoryChange } from "../directory.ts";
import { KnownPolicies } from "./known-policies.ts";
import { type ListedGroup, SharedMemberships } from "./memberships.ts";
import { RememberedLists } from "./remembered-lists.ts";
import { type ReadState, type State, ToldCommits } from "./told-commits.ts";

/** Groups or policies of a user from which on they are remembered: below, to read them again takes no longer. */
export const LONG_LIST = 64;

/** Lists that are kept although nobody has them in memory: by default, and most of those of groups. */
const KEPT = 64;
const MOST_KEPT_GROUPS = 4_096;
/** About the bytes of a policy and of a statement beside its texts, as read and as compiled, and of a group in a list. */
const POLICY_BYTES = 600;
const STATEMENT_BYTES = 500;
const GROUP_BYTES = 100;

/** The policies and lists of one directory. */
export class HolderLists {
  /** Memberships by the lists that are kept here. */
  readonly memberships = new SharedMemberships();
  readonly #commits = new ToldCommits();
  /** Policies, whoever has them. */
  readonly policiesById = new KnownPolicies(this.#commits, bytesOf);
  /** Policies of groups, which all members of a group share, and of users with many. */
  readonly policies: RememberedLists<StoredPolicy>;
  /** Groups of users with many. */
  readonly groups = new RememberedLists<ListedGroup>({
    commits: this.#commits,
    idsOf: ({ users = [], groups = [] }) => ({ holders: users, members: groups }),
    sizeOf: () => GROUP_BYTES,
    kept: KEPT,
  });

  /** @param keptGroups groups whose policies are kept although no user in memory has them */
  constructor(keptGroups = KEPT) {
    this.policies = new RememberedLists({
      commits: this.#commits,
      idsOf: ({ users = [], groups = [], policies = [] }) => {
        return { holders: [...users, ...groups], members: policies };
      },
      sizeOf: bytesOf,
      kept: Math.min(Math.max(KEPT, keptGroups), MOST_KEPT_GROUPS),
    });
  }

  /** See {@link ToldCommits.tell}. */
  tell(revision: number, change: DirectoryChange | undefined): void {
    const all = [this.policiesById, this.policies, this.groups];
    if (!this.#commits.tell(revision, change)) for (const one of all) one.clear();
    if (change !== undefined) for (const one of all) one.touched(change);
  }

  /** See {@link ToldCommits.clear}. */
  clear(): void {
    this.#commits.clear();
    for (const one of [this.policiesById, this.policies, this.groups]) one.clear();
  }

  /** See {@link ToldCommits.opened}. */
  opened(state: State): ReadState {
    return this.#commits.opened(state);
  }
}

function bytesOf({ statement }: StoredPolicy): number {
  let characters = 0;
  for (const { action, resource, condition } of statement) {
    for (const pattern of action) characters += pattern.length;
    characters += resource.length;
    if (condition !== undefined) characters += JSON.stringify(condition).length;
  }
  return POLICY_BYTES + STATEMENT_BYTES * statement.length + characters * 2;
}
