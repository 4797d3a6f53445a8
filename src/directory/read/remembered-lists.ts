/**
 * The policies of groups, read once for as long as nothing about them changes: all members of a group share one list.
 * What is kept is known to be in force at every revision from that at which it was read to the newest that was told.
 */

import type { StoredPolicy } from "@svc-authorizer/policy/model/held-policies.ts";
import { LRUCache } from "lru-cache";
import type { DirectoryChange } from "../directory.ts";
import { SharedMemberships } from "./memberships.ts";

/** A state that is read. */
interface ReadState {
  readonly revision: number;
  /** See {@link Snapshot.base}: the same revision of another one may be another state. */
  readonly base: string | undefined;
}

interface CachedPolicies extends ReadState {
  readonly policies: readonly StoredPolicy[];
}

/** Groups kept although no user that somebody has in memory is a member. */
const KEPT_GROUPS = 64;
/** Changes remembered to judge what was read before them; what is older is not kept. */
const REMEMBERED_CHANGES = 1_024;

/** Remembers the policies of groups. */
export class GroupPolicies {
  /** Memberships by the lists that are kept here. */
  readonly memberships = new SharedMemberships();
  readonly #known = new Map<string, WeakRef<CachedPolicies>>();
  readonly #kept = new LRUCache<string, CachedPolicies>({ max: KEPT_GROUPS });
  /** Whoever holds a list keeps what is known of it. */
  readonly #owners = new WeakMap<readonly StoredPolicy[], CachedPolicies>();
  /** Internal id of a policy → ids of the groups that have it. */
  readonly #groupsByPolicy = new Map<string, Set<string>>();
  readonly #changes: { readonly revision: number; readonly change: DirectoryChange }[] = [];
  /** Revision of the newest commit that was told or, at first, of the first state that was read; undefined before. */
  #told: number | undefined;
  /** Lists read before this revision are not kept, because some changes after it may never be announced. */
  #floor = 0;

  /** A commit. To be told of every one in order, before anybody hears of its success. */
  tell(revision: number, change: DirectoryChange | undefined): void {
    // The database of several nodes was restored from a backup: its revisions are others now.
    if (revision < (this.#told ?? 0)) this.clear();
    this.#begin(revision);
    this.#told = Math.max(this.#told ?? 0, revision);
    if (change === undefined) return;
    this.#changes.push({ revision, change });
    if (this.#changes.length > REMEMBERED_CHANGES) this.#changes.shift();
    if (change.all) this.#forgetAll();
    for (const group of change.groups ?? []) this.#forget(group);
    for (const policy of change.policies ?? []) {
      for (const group of [...(this.#groupsByPolicy.get(policy) ?? [])]) this.#forget(group);
      this.#groupsByPolicy.delete(policy);
    }
  }

  /** Forgets everything: the store may have gone back to an earlier revision. */
  clear(): void {
    this.#forgetAll();
    this.#changes.length = 0;
    this.#told = undefined;
  }

  /** The policies of a group in a state, where they are known. */
  at({ revision, base }: ReadState, group: string): readonly StoredPolicy[] | undefined {
    this.#begin(revision);
    // A commit that was not told yet may have changed the group.
    if (revision > (this.#told ?? 0)) return undefined;
    const kept = this.#known.get(group)?.deref();
    return kept === undefined || kept.base !== base || kept.revision > revision ? undefined : kept.policies;
  }

  /** Keeps the policies of a group as they were read from a state, unless they have changed since. */
  keep({ revision, base }: ReadState, group: string, policies: readonly StoredPolicy[]): void {
    if (!this.#isCurrent(revision, group, policies)) return;
    const kept: CachedPolicies = { revision, base, policies };
    this.#forget(group);
    this.#known.set(group, new WeakRef(kept));
    this.#kept.set(group, kept);
    this.#owners.set(policies, kept);
    for (const { id } of policies) {
      const groups = this.#groupsByPolicy.get(id) ?? new Set();
      this.#groupsByPolicy.set(id, groups.add(group));
    }
  }

  #begin(revision: number): void {
    if (this.#told !== undefined) return;
    this.#told = revision;
    this.#floor = revision;
  }

  #isCurrent(revision: number, group: string, policies: readonly StoredPolicy[]): boolean {
    const told = this.#told ?? Number.NEGATIVE_INFINITY;
    if (revision > told || revision < this.#floor) return false;
    if (revision === told) return true;
    const [oldest] = this.#changes;
    if (this.#changes.length === REMEMBERED_CHANGES && oldest !== undefined && oldest.revision > revision + 1)
      return false;
    const ids = new Set([group, ...policies.map(({ id }) => id)]);
    return this.#changes.every(
      ({ revision: changed, change }) =>
        changed <= revision ||
        !(change.all || [...(change.groups ?? []), ...(change.policies ?? [])].some((id) => ids.has(id))),
    );
  }

  #forget(group: string): void {
    const kept = this.#known.get(group)?.deref();
    for (const { id } of kept?.policies ?? []) {
      const groups = this.#groupsByPolicy.get(id);
      groups?.delete(group);
      if (groups?.size === 0) this.#groupsByPolicy.delete(id);
    }
    this.#known.delete(group);
    this.#kept.delete(group);
  }

  #forgetAll(): void {
    this.#known.clear();
    this.#kept.clear();
    this.#groupsByPolicy.clear();
  }
}
