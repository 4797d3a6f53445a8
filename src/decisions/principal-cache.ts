/**
 * The cache of users with their compiled policies (`auth.cache.*`; spec/security §4.1). An entry holds references to
 * shared parts: the policies of groups and their compiled sets.
 */

import type { StoredPolicy } from "@svc-authorizer/policy/model/held-policies.ts";
import { idsOf } from "@svc-authorizer/policy/model/policy-lists.ts";
import type { CacheSettings } from "../cache/dependent-cache.ts";
import { DependentCache } from "../cache/dependent-cache.ts";
import { MultiMap } from "../compact/multi-map.ts";
import type { DirectoryChange } from "../directory/directory.ts";
import type { Principal } from "../directory/principal.ts";
import type { CachedPrincipal } from "./cached-principal.ts";

/**
 * Most memory, in bytes, of users who left a full cache (`auth.cache.size`): a crowd larger than the cache does not read the
 * directory for each question.
 */
const SPARE_BYTES = 64 * 1024 * 1024;
/** About the bytes of a user, of each group, and of each policy of the user's own. */
const USER_BYTES = 500;
const GROUP_BYTES = 16;
const POLICY_BYTES = 500;

/** Groups or own policies from which on a user is filed under none of them. */
const LARGE = 64;

/** The counters of the cache. */
export interface CacheCounters {
  cacheHits: number;
  cacheMisses: number;
  cacheEvictions: number;
}

/** Options of {@link PrincipalCache}. */
interface PrincipalCacheOptions {
  readonly settings: CacheSettings;
  readonly counters: CacheCounters;
  readonly load: (username: string) => Promise<CachedPrincipal | undefined>;
  /** See {@link DependentCache}. */
  readonly isToldEverything?: () => boolean;
  /** True: as many names for which there is no user are remembered as users. Default false. */
  readonly remembersAbsent?: boolean;
}

/** Caches principals by name. */
export class PrincipalCache {
  readonly #counters: CacheCounters;
  readonly #load: (username: string) => Promise<CachedPrincipal | undefined>;
  readonly #users: DependentCache<CachedPrincipal>;
  /**
   * Internal id of a policy → ids of the groups that have it. So a user need not be filed under each policy of a group.
   */
  readonly #groupsByPolicy = new MultiMap();
  readonly #filed = new WeakSet<readonly StoredPolicy[]>();

  constructor(options: PrincipalCacheOptions) {
    const { settings, counters, load, isToldEverything, remembersAbsent = false } = options;
    this.#counters = counters;
    this.#load = load;
    this.#users = new DependentCache<CachedPrincipal>({
      settings,
      filedUnder: ({ principal }) => ownIds(principal),
      dependsOn: ({ principal }, id) => dependsOn(principal, id),
      isLarge: ({ principal }) => isLarge(principal),
      spare: { most: SPARE_BYTES, sizeOf: ({ principal }) => bytesOf(principal) },
      ...(isToldEverything && { isToldEverything }),
      ...(remembersAbsent && { mostAbsent: settings.size }),
    });
  }

  /** Cached users. */
  get size(): number {
    return this.#users.size;
  }

  /** See {@link DependentCache.generation}. */
  get generation(): number {
    return this.#users.generation;
  }

  /** True if there was no such user lately, and nothing has changed since. */
  isKnownAbsent(username: string): boolean {
    return this.#users.isKnownAbsent(username);
  }

  /** The cached user, or undefined if there is none or its time is over. Counts hits and misses. */
  peek(username: string): CachedPrincipal | undefined {
    const user = this.#users.get(username);
    if (user === undefined) this.#counters.cacheMisses++;
    else this.#counters.cacheHits++;
    return user;
  }

  /** As {@link peek}, without counting. */
  cached(username: string): CachedPrincipal | undefined {
    return this.#users.get(username);
  }

  /** Loads a user. Concurrent calls share one load unless something changed since it began. Errors are not cached. */
  load(username: string): Promise<CachedPrincipal | undefined> {
    return this.#users.load(username, async () => {
      const user = await this.#load(username);
      if (user !== undefined) this.#file(user.principal);
      return user;
    });
  }

  #file({ held }: Principal): void {
    for (const { holder, via, policies } of held) {
      if ("user" in via || this.#filed.has(policies)) continue;
      this.#filed.add(policies);
      for (const { id } of policies) this.#groupsByPolicy.add(id, holder);
    }
  }

  /** Evicts the entries that a committed write touched. */
  evict({ users = [], groups = [], policies = [], all = false }: DirectoryChange): void {
    const ids = [...users, ...groups, ...policies];
    for (const policy of policies) {
      ids.push(...this.#groupsByPolicy.of(policy));
      this.#groupsByPolicy.delete(policy);
    }
    if (all) this.#groupsByPolicy.clear();
    this.#counters.cacheEvictions += this.#users.evict({ ids, all });
  }
}

function bytesOf({ groups, held }: Principal): number {
  const own = held.reduce((sum, { via, policies }) => sum + ("user" in via ? policies.length : 0), 0);
  return USER_BYTES + groups.length * GROUP_BYTES + own * POLICY_BYTES;
}

/** The user, its groups and its own policies. */
function ownIds({ id, groups, held }: Principal): readonly string[] {
  const own = held.flatMap(({ via, policies }) => ("user" in via ? policies.map((policy) => policy.id) : []));
  return [id, ...groups, ...own];
}

function isLarge({ groups, held }: Principal): boolean {
  return (
    groups.length >= LARGE || held.some(({ via, policies }) => "user" in via && policies.length >= LARGE)
  );
}

function dependsOn({ id, groups, held }: Principal, touched: string): boolean {
  if (id === touched || groups.includes(touched)) return true;
  return held.some(({ policies }) =>
    policies.length < LARGE ? policies.some((policy) => policy.id === touched) : idsOf(policies).has(touched),
  );
}
