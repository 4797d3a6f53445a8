/**
 * A cache of what belongs to one user each (`auth.cache.*`; security.md §4.1): verified keys and tokens. A write on
 * this node evicts what it touches and advances a generation; a load begun under an older generation is neither kept
 * nor shared with later callers. Errors are not kept.
 */

import { LRUCache } from "lru-cache";
import type { CacheSettings } from "../cache/cache-settings.ts";
import { SharedLoads } from "../cache/shared-loads.ts";
import type { DirectoryChange } from "../directory/directory.ts";

/** Something that belongs to a user. */
export interface Owned {
  /** Internal id, never reused. */
  readonly userId: string;
}

interface Entry<T> {
  readonly value: T;
  /** Unix milliseconds. */
  readonly expires: number;
}

/** Most texts remembered as belonging to nobody. */
const MAX_ABSENT = 1_000;

/** Caches by text, at most `size` values. */
export class OwnedCache<T extends Owned> {
  readonly #settings: CacheSettings;
  readonly #now: () => number;
  readonly #entries: LRUCache<string, Entry<T>>;
  /** Texts by the internal id of the user they belong to. */
  readonly #byUser = new Map<string, Set<string>>();
  /** Texts that nothing was found for, until anything changes or their time (Unix milliseconds) is over. */
  readonly #absent = new LRUCache<string, number>({ max: MAX_ABSENT });
  readonly #loads = new SharedLoads<T | undefined>();

  /** @param now Unix milliseconds */
  constructor(settings: CacheSettings, now: () => number) {
    this.#settings = settings;
    this.#now = now;
    this.#entries = new LRUCache({
      max: Math.max(1, settings.size),
      dispose: ({ value }, text) => this.#forget(value, text),
    });
  }

  /** The cached value of a text, or undefined. */
  peek(text: string): T | undefined {
    const entry = this.#entries.get(text);
    return entry === undefined || entry.expires <= this.#now() ? undefined : entry.value;
  }

  /** True where nothing was found under a text lately and nothing has changed on this node since. */
  isKnownAbsent(text: string): boolean {
    const expires = this.#absent.get(text);
    return expires !== undefined && expires > this.#now();
  }

  /** Loads what is under a text; concurrent calls share one load unless something changed since it began. */
  load(text: string, find: () => Promise<T | undefined>): Promise<T | undefined> {
    return this.#loads.load(text, find, (value, generation) => {
      if (this.#settings.enabled && generation === this.#loads.generation) this.#keep(text, value);
    });
  }

  /** Evicts what a committed write touched. Groups and policies say nothing about who somebody is. */
  evict({ users, all }: DirectoryChange): void {
    if (users === undefined && !all) return;
    this.#loads.advance();
    this.#absent.clear();
    if (all) {
      this.#entries.clear();
      return;
    }
    for (const user of users ?? []) {
      for (const text of [...(this.#byUser.get(user) ?? [])]) this.#entries.delete(text);
    }
  }

  #keep(text: string, value: T | undefined): void {
    const expires = this.#now() + this.#settings.ttl + Math.random() * this.#settings.jitter;
    if (value === undefined) {
      this.#absent.set(text, expires);
      return;
    }
    this.#entries.set(text, { value, expires });
    const texts = this.#byUser.get(value.userId) ?? new Set();
    this.#byUser.set(value.userId, texts.add(text));
  }

  #forget({ userId }: T, text: string): void {
    const texts = this.#byUser.get(userId);
    texts?.delete(text);
    if (texts?.size === 0) this.#byUser.delete(userId);
  }
}
