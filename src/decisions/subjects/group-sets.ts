/** Sets of groups with their compiled policies, for subjects that are no users: from a bounded cache, else loaded. */

import type { CacheSettings } from "../../cache/dependent-cache.ts";
import type { Directory, DirectoryChange } from "../../directory/directory.ts";
import type { GroupPrincipal } from "../../directory/principal.ts";
import { CachedPrincipal } from "../cached-principal.ts";
import { type CacheCounters, PrincipalCache } from "../principal-cache.ts";
import type { Principals } from "../principals.ts";

/** Longest key of a set that is kept, in characters: names come from outside. */
const LONGEST_KEY = 8_192;
/** Stands for every group that does not exist yet. No group has this id. */
const NEW_GROUP = "*";

/** A set of groups with its compiled policies. */
export interface CachedGroups extends CachedPrincipal {
  readonly principal: GroupPrincipal;
}

/** Options of {@link GroupSets}. */
interface GroupSetsOptions {
  readonly directory: Directory;
  readonly principals: Principals;
  /** `size` is the largest number of sets. */
  readonly cache: CacheSettings;
  readonly counters: CacheCounters;
}

/** Finds sets of groups. */
export class GroupSets {
  readonly #options: GroupSetsOptions;
  readonly #cache: PrincipalCache;
  readonly #unsubscribe: () => void;

  constructor(options: GroupSetsOptions) {
    const { directory, cache, counters } = options;
    this.#options = options;
    this.#cache = new PrincipalCache({
      settings: cache,
      counters,
      isToldEverything: () => directory.tellsEveryChange(),
      load: (key) => this.#read(JSON.parse(key) as string[]),
    });
    this.#unsubscribe = directory.onChange((change) => this.#evict(change));
  }

  /** Sets in the cache. */
  get size(): number {
    return this.#cache.size;
  }

  /** The set if it is cached. Counts nothing. */
  cached(names: readonly string[]): CachedGroups | undefined {
    return this.#cache.cached(keyOf(names)) as CachedGroups | undefined;
  }

  /** The set of the groups that exist among these names, which are distinct and in UTF-8 byte order. */
  async load(names: readonly string[]): Promise<CachedGroups> {
    const key = keyOf(names);
    if (key.length > LONGEST_KEY) return this.#read(names);
    return (this.#cache.peek(key) ?? (await this.#cache.load(key))) as CachedGroups;
  }

  async #read(names: readonly string[]): Promise<CachedGroups> {
    const { directory, principals } = this.#options;
    const found = await directory.principalOfGroups(names);
    const { policies } = await principals.compiled(found);
    const principal = found.isComplete ? found : withNewGroup(found);
    return new CachedPrincipal(principal, policies) as CachedGroups;
  }

  #evict(change: DirectoryChange): void {
    const { groups = [] } = change;
    // Any of these may be a group that a set lacked.
    this.#cache.evict(groups.length === 0 ? change : { ...change, groups: [...groups, NEW_GROUP] });
  }

  /** Stops listening to changes. */
  close(): void {
    this.#unsubscribe();
  }
}

function keyOf(names: readonly string[]): string {
  return JSON.stringify(names);
}

/** The set, to be evicted when a group is made. */
function withNewGroup(found: GroupPrincipal): GroupPrincipal {
  const { id, username, properties, isInactive, isOfService, groups } = found;
  const { held, policies, names, isComplete } = found;
  const user = { id, username, properties, isInactive, isOfService };
  return { ...user, groups: [...groups, NEW_GROUP], held, policies, names, isComplete };
}
