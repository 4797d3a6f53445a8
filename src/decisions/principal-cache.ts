/**
 * The cache of users with their compiled policies (`auth.cache.*`; security.md §4.1).
 *
 * A write on this node evicts exactly the entries that it touches. A load that began before a write is not kept
 * when the write touched what it loaded, and is never shared with callers who came after the write.
 */

import { LRUCache } from "lru-cache";
import type { CacheSettings } from "../cache/cache-settings.ts";
import { SharedLoads } from "../cache/shared-loads.ts";
import type { DirectoryChange, Principal } from "../directory/directory.ts";
import type { CompiledPolicies } from "../engine/compile.ts";

/** A user ready for decisions. */
export interface CachedPrincipal {
  readonly principal: Principal;
  readonly policies: CompiledPolicies;
}

/** What the cache counts. */
export interface CacheCounters {
  cacheHits: number;
  cacheMisses: number;
  cacheEvictions: number;
}

interface Entry extends CachedPrincipal {
  readonly expires: number;
}

/** Changes remembered to judge loads that were under way; older loads are not kept. */
const REMEMBERED_CHANGES = 1024;

/** Caches principals by internal user id, found by name. */
export class PrincipalCache {
  readonly #settings: CacheSettings;
  readonly #counters: CacheCounters;
  readonly #load: (username: string) => Promise<CachedPrincipal | undefined>;
  readonly #idByName = new Map<string, string>();
  readonly #entries: LRUCache<string, Entry>;
  /** Internal id of a user, group or policy → ids of the cached users that depend on it. */
  readonly #dependents = new Map<string, Set<string>>();
  readonly #loads = new SharedLoads<CachedPrincipal | undefined>();
  readonly #changes: { readonly generation: number; readonly change: DirectoryChange }[] = [];

  constructor(
    settings: CacheSettings,
    counters: CacheCounters,
    load: (username: string) => Promise<CachedPrincipal | undefined>,
  ) {
    this.#settings = settings;
    this.#counters = counters;
    this.#load = load;
    this.#entries = new LRUCache<string, Entry>({
      max: Math.max(1, settings.size),
      dispose: (entry, id) => this.#forget(entry, id),
    });
  }

  /** Cached users. */
  get size(): number {
    return this.#entries.size;
  }

  /** The cached user, or undefined when there is none or its time is over; counts hits and misses. */
  peek(username: string): CachedPrincipal | undefined {
    const entry = this.cached(username);
    if (entry === undefined) this.#counters.cacheMisses++;
    else this.#counters.cacheHits++;
    return entry;
  }

  /** As {@link peek}, without counting. */
  cached(username: string): CachedPrincipal | undefined {
    const id = this.#idByName.get(username);
    const entry = id === undefined ? undefined : this.#entries.get(id);
    return entry === undefined || entry.expires < Date.now() ? undefined : entry;
  }

  /** Loads a user; concurrent calls share one load unless something changed since it began. Errors are not kept. */
  load(username: string): Promise<CachedPrincipal | undefined> {
    return this.#loads.load(
      username,
      () => this.#load(username),
      (loaded, generation) => {
        const keeps = loaded !== undefined && this.#settings.enabled;
        if (keeps && this.#isCurrent(loaded.principal, generation)) this.#keep(loaded);
      },
    );
  }

  /** Evicts what a committed write touched. */
  evict(change: DirectoryChange): void {
    this.#loads.advance();
    this.#changes.push({ generation: this.#loads.generation, change });
    if (this.#changes.length > REMEMBERED_CHANGES) this.#changes.shift();
    if (change.all) {
      this.#counters.cacheEvictions += this.#entries.size;
      this.#entries.clear();
      return;
    }
    for (const id of touchedIds(change)) {
      for (const user of [...(this.#dependents.get(id) ?? [])]) {
        if (this.#entries.delete(user)) this.#counters.cacheEvictions++;
      }
    }
  }

  /** True when no write since the load's beginning touched what it loaded. */
  #isCurrent(principal: Principal, generation: number): boolean {
    if (generation === this.#loads.generation) return true;
    const since = this.#changes.filter((one) => one.generation > generation);
    if (since.length < this.#loads.generation - generation) return false;
    const own = new Set(dependenciesOf(principal));
    return since.every(({ change }) => !change.all && !touchedIds(change).some((id) => own.has(id)));
  }

  #keep(loaded: CachedPrincipal): void {
    const { principal } = loaded;
    const expires = Date.now() + this.#settings.ttl + Math.random() * this.#settings.jitter;
    this.#entries.set(principal.id, { ...loaded, expires });
    this.#idByName.set(principal.username, principal.id);
    for (const id of dependenciesOf(principal)) {
      const users = this.#dependents.get(id) ?? new Set();
      this.#dependents.set(id, users.add(principal.id));
    }
  }

  #forget({ principal }: Entry, userId: string): void {
    if (this.#idByName.get(principal.username) === userId) this.#idByName.delete(principal.username);
    for (const id of dependenciesOf(principal)) {
      const users = this.#dependents.get(id);
      users?.delete(userId);
      if (users?.size === 0) this.#dependents.delete(id);
    }
  }
}

function dependenciesOf(principal: Principal): string[] {
  return [principal.id, ...principal.groups, ...principal.policies.map((policy) => policy.id)];
}

function touchedIds(change: DirectoryChange): readonly string[] {
  return [...(change.users ?? []), ...(change.groups ?? []), ...(change.policies ?? [])];
}
