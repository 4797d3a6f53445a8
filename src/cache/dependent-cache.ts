/**
 * The cache of values that are made from the directory (`auth.cache.*`; spec/security §4.1): users with their compiled
 * policies, access keys, login tokens, the policies of a whole directory. A change on this node evicts exactly the values
 * that depend on what it touches. A load that began before a change is not kept when the change touched what it loaded,
 * and is never shared with callers who came after the change. Errors are not kept.
 */

import { LRUCache } from "lru-cache";
import { MultiMap } from "../compact/multi-map.ts";
import { SharedLoads } from "./shared-loads.ts";

/** Settings of caches over the directory, `auth.cache.*`; times in milliseconds. */
export interface CacheSettings {
  readonly enabled: boolean;
  readonly size: number;
  readonly ttl: number;
  readonly jitter: number;
}

/** The entities that a change touched: internal ids, or everything. */
export interface Touched {
  readonly ids: readonly string[];
  readonly all: boolean;
}

/** Bounds of the values that are kept beyond `auth.cache.size`. */
interface SpareSettings<T> {
  /** Most memory of theirs, in the unit of `sizeOf`. */
  readonly most: number;
  /** About the bytes that a value alone holds; at least 1. */
  readonly sizeOf: (value: T) => number;
}

/** Options of a {@link DependentCache}. */
export interface DependentCacheOptions<T> {
  readonly settings: CacheSettings;
  /** Ids that evict a value when a change touches them. */
  readonly filedUnder: (value: T) => Iterable<string>;
  /** True when a value depends on an id: asked of a load that a change overtook. Default: it is filed under the id. */
  readonly dependsOn?: (value: T, id: string) => boolean;
  /**
   * True if the cache has received every change of the directory. An expired value is then still valid, because nothing
   * that it depends on has changed, and is renewed without a load. Default: never.
   */
  readonly isToldEverything?: () => boolean;
  /** Most keys to remember for which nothing was found, until anything changes or their time is over. Default: none. */
  readonly mostAbsent?: number;
  /**
   * True for a value that depends on very many ids. It is filed under none: whether a change touched one is seen when it is
   * asked for. Default: none is.
   */
  readonly isLarge?: (value: T) => boolean;
  /** Values that leave a full cache, and are found without a load until a change touches them. Default: none are kept. */
  readonly spare?: SpareSettings<T>;
  /** True: values leave memory when their time is over, not when they are asked for next. */
  readonly dropsExpired?: boolean;
  /** Unix milliseconds; default the clock. */
  readonly now?: () => number;
}

/** Times are in milliseconds since the cache was made: small integers, which an entry holds itself. */
interface Entry<T> {
  readonly value: T;
  expires: number;
  /** Time of the last use that counts for which value leaves a full cache. */
  used: number;
  /** Of a value that is large or has left a full cache: the generation in which nothing had touched it. */
  generation: number;
  /** See {@link DependentCacheOptions.isLarge}. */
  readonly isLarge: boolean;
}

/** Uses within this time, in milliseconds, count as one: to reorder the values at each would cost more than the rest. */
const ONE_USE_MS = 1_000;

/** Changes remembered to judge loads that were under way; older loads are not kept. */
const REMEMBERED_CHANGES = 1_024;

/** Touched ids that are remembered to judge spare values; beyond it these are forgotten. */
const MOST_TOUCHED = 65_536;

/** Caches values by key, at most `size` of them. */
export class DependentCache<T extends object> {
  readonly #settings: CacheSettings;
  readonly #filedUnder: (value: T) => Iterable<string>;
  readonly #dependsOn: (value: T, id: string) => boolean;
  readonly #isLarge: (value: T) => boolean;
  readonly #isToldEverything: () => boolean;
  readonly #now: () => number;
  readonly #made: number;
  readonly #entries: LRUCache<string, Entry<T>>;
  /** Keys for which nothing was found, and when that expires. */
  readonly #absent: LRUCache<string, number> | undefined;
  /** Id → keys of the values that are filed under it. */
  readonly #dependents = new MultiMap();
  readonly #loads = new SharedLoads<T | undefined>();
  readonly #changes: { readonly generation: number; readonly touched: Touched }[] = [];
  /**
   * Values that left a full cache. They are filed under nothing, because of a hundred thousand that would take more memory
   * than the values: whether a change touched one is seen when it is asked for.
   */
  readonly #spare: LRUCache<string, Entry<T>> | undefined;
  /** Id → generation of the newest change that touched it, since the first value was spare. */
  readonly #touched = new Map<string, number>();

  constructor(options: DependentCacheOptions<T>) {
    const { settings, filedUnder, dependsOn, mostAbsent, spare } = options;
    this.#settings = settings;
    this.#filedUnder = filedUnder;
    this.#dependsOn = dependsOn ?? ((value, id) => [...filedUnder(value)].includes(id));
    this.#isLarge = options.isLarge ?? (() => false);
    this.#isToldEverything = options.isToldEverything ?? (() => false);
    this.#now = options.now ?? Date.now;
    this.#made = this.#now();
    this.#entries = new LRUCache({
      max: Math.max(1, settings.size),
      dispose: (entry, key, reason) => {
        if (!entry.isLarge) this.#forget(entry.value, key);
        if (reason === "evict") this.#setAside(entry, key);
      },
      ...(options.dropsExpired === true && {
        ttl: Math.max(1, Math.ceil(settings.ttl + settings.jitter)),
        ttlAutopurge: true,
      }),
    });
    this.#spare =
      spare &&
      new LRUCache({ maxSize: spare.most, sizeCalculation: ({ value }) => Math.max(1, spare.sizeOf(value)) });
    this.#absent = mostAbsent === undefined ? undefined : new LRUCache({ max: mostAbsent });
  }

  /** Number of values. */
  get size(): number {
    return this.#entries.size;
  }

  /** Counts changes: values that were loaded in one generation belong together. */
  get generation(): number {
    return this.#loads.generation;
  }

  /** The value under a key, or undefined when there is none or its time is over. */
  get(key: string): T | undefined {
    const kept = this.#entries.peek(key);
    const entry = kept === undefined || kept.isLarge ? this.#untouched(key, kept) : kept;
    if (entry === undefined) return undefined;
    const now = this.#age();
    if (now - entry.used > ONE_USE_MS) {
      (kept === undefined ? this.#spare : this.#entries)?.get(key);
      entry.used = now;
    }
    if (entry.expires > now) return entry.value;
    if (!this.#isToldEverything()) return undefined;
    entry.expires = this.#expiry();
    return entry.value;
  }

  /** True if nothing was found under a key lately and nothing has changed on this node since. */
  isKnownAbsent(key: string): boolean {
    const expires = this.#absent?.get(key);
    return expires !== undefined && expires > this.#age();
  }

  /** Loads a value; concurrent calls share one load unless something has changed since it began. */
  load(key: string, find: () => Promise<T | undefined>): Promise<T | undefined> {
    return this.#loads.load(key, find, (value, generation) => {
      if (!this.#settings.enabled) return;
      if (value !== undefined) this.#keep(key, value, generation);
      else if (generation === this.#loads.generation) this.#absent?.set(key, this.#expiry());
    });
  }

  /** Evicts what a change touched; gives the number of values. */
  evict(touched: Touched): number {
    this.#loads.advance();
    this.#absent?.clear();
    this.#changes.push({ generation: this.#loads.generation, touched });
    if (this.#changes.length > REMEMBERED_CHANGES) this.#changes.shift();
    const before = this.#entries.size;
    if (touched.all) this.clear();
    else {
      this.#rememberTouched(touched.ids);
      for (const id of touched.ids) {
        for (const key of this.#dependents.of(id)) this.#entries.delete(key);
      }
    }
    return before - this.#entries.size;
  }

  /** Forgets every value. */
  clear(): void {
    this.#entries.clear();
    this.#absent?.clear();
    this.#clearSpare();
  }

  #keep(key: string, value: T, generation: number): void {
    if (!this.#isCurrent(value, generation)) return;
    this.#spare?.delete(key);
    this.#enter(key, {
      value,
      expires: this.#expiry(),
      used: this.#age(),
      generation: this.#loads.generation,
      isLarge: this.#isLarge(value),
    });
  }

  #enter(key: string, entry: Entry<T>): void {
    this.#entries.set(key, entry);
    if (entry.isLarge) return;
    for (const id of this.#filedUnder(entry.value)) this.#dependents.add(id, key);
  }

  #setAside(entry: Entry<T>, key: string): void {
    if (this.#spare === undefined) return;
    if (!entry.isLarge) entry.generation = this.#loads.generation;
    this.#spare.set(key, entry);
  }

  /**
   * A value that nothing has touched since it was seen last. A spare one stays spare: to move two values for each use costs
   * more.
   * @param kept the value, if it is not spare
   */
  #untouched(key: string, kept: Entry<T> | undefined): Entry<T> | undefined {
    const entry = kept ?? this.#spare?.peek(key);
    const { generation } = this.#loads;
    if (entry === undefined || entry.generation === generation) return entry;
    if (entry.isLarge ? !this.#isCurrent(entry.value, entry.generation) : this.#isTouched(entry)) {
      (kept === undefined ? this.#spare : this.#entries)?.delete(key);
      return undefined;
    }
    entry.generation = generation;
    return entry;
  }

  #isTouched({ value, generation }: Entry<T>): boolean {
    for (const id of this.#filedUnder(value)) if ((this.#touched.get(id) ?? 0) > generation) return true;
    return false;
  }

  #rememberTouched(ids: readonly string[]): void {
    if (this.#spare === undefined || this.#spare.size === 0) return;
    if (this.#touched.size + ids.length > MOST_TOUCHED) this.#clearSpare();
    else for (const id of ids) this.#touched.set(id, this.#loads.generation);
  }

  #clearSpare(): void {
    this.#spare?.clear();
    this.#touched.clear();
  }

  /** Milliseconds since the cache was made. */
  #age(): number {
    return this.#now() - this.#made;
  }

  #expiry(): number {
    return Math.ceil(this.#age() + this.#settings.ttl + Math.random() * this.#settings.jitter);
  }

  /** True when no change since the beginning of a load touched what it loaded. */
  #isCurrent(value: T, generation: number): boolean {
    if (generation === this.#loads.generation) return true;
    const since = this.#changes.filter((one) => one.generation > generation);
    if (since.length < this.#loads.generation - generation) return false;
    return since.every(
      ({ touched }) => !touched.all && !touched.ids.some((id) => this.#dependsOn(value, id)),
    );
  }

  #forget(value: T, key: string): void {
    for (const id of this.#filedUnder(value)) this.#dependents.remove(id, key);
  }
}
