/**
 * Leases (spec/journal §5): work that one of several processes does. A lease is a record, written only when there is work.
 * Nothing is wrong when two do the same work; the lease spares most of it, and what is committed under one expects it.
 */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import type { Expectation } from "./expectation.ts";
import { newId } from "./log-entry.ts";
import type { Store } from "./port.ts";
import { readRecord } from "./read-record.ts";

const PARTITION = "lease";
/** Time after which another process takes a lease over of which it has seen nothing new; by its own monotonic clock. */
const TAKE_OVER_MS = 60_000;
/** A holder that goes on working writes the lease this often, so that others see it live. */
const RENEW_MS = 20_000;

interface LeaseRecord {
  readonly name: string;
  /** Id of the process; "" where it has ended and left the lease. */
  readonly holder: string;
  /** Grows with each holder. */
  readonly term: number;
}

/** A lease as it is stored. */
interface StoredLease {
  /** The condition of a commit that is made under it, or replaces it. */
  readonly unchanged: Expectation;
  readonly lease: LeaseRecord | undefined;
}

/** The leases of one process. */
export class Leases {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #holder = newId();
  /** Versions of the leases of others, and since when this process has seen them. */
  readonly #seen = new Map<string, { readonly version: string | undefined; readonly since: number }>();
  /** Times of the last writes of the leases that this process holds. */
  readonly #held = new Map<string, number>();

  readonly #asked = new Map<string, Promise<Expectation | undefined>>();

  /** @param now monotonic milliseconds */
  constructor(store: Store, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** True when this process has taken a lease. */
  get hasAny(): boolean {
    return this.#held.size > 0;
  }

  /**
   * Takes a lease, or shows that this process has it. Returns what a commit under it expects; undefined while another
   * process has it.
   */
  hold(name: string): Promise<Expectation | undefined> {
    // Who asks meanwhile gets the same answer: two writes of one lease would refuse each other.
    const asked = this.#asked.get(name) ?? this.#hold(name).finally(() => this.#asked.delete(name));
    this.#asked.set(name, asked);
    return asked;
  }

  async #hold(name: string): Promise<Expectation | undefined> {
    const { unchanged, lease } = await this.#read(name);
    const isOwn = lease?.holder === this.#holder;
    if (isOwn && this.#now() - (this.#held.get(name) ?? 0) < RENEW_MS) {
      return unchanged;
    }
    const isFree = lease === undefined || lease.holder === "";
    if (!isOwn && !isFree && !this.#isOver(name, unchanged.version)) return undefined;
    const term = (lease?.term ?? 0) + (isOwn ? 0 : 1);
    return this.#write(unchanged, { name, holder: this.#holder, term });
  }

  /** Leaves all leases, so that others need not wait. */
  async release(): Promise<void> {
    for (const name of [...this.#held.keys()]) {
      const { unchanged, lease } = await this.#read(name);
      if (lease?.holder === this.#holder) await this.#write(unchanged, { ...lease, holder: "" });
    }
    this.#held.clear();
  }

  /** True when nothing new of another's lease was seen for long enough. */
  #isOver(name: string, version: string | undefined): boolean {
    const seen = this.#seen.get(name);
    if (seen !== undefined && seen.version === version) return this.#now() - seen.since >= TAKE_OVER_MS;
    this.#seen.set(name, { version, since: this.#now() });
    return false;
  }

  async #read(name: string): Promise<StoredLease> {
    const { stored, unchanged } = await readRecord(this.#store, { partition: PARTITION, key: name });
    return { unchanged, lease: stored && (JSON.parse(stored.value) as LeaseRecord) };
  }

  async #write(before: Expectation, record: LeaseRecord): Promise<Expectation | undefined> {
    const { partition, key } = before;
    try {
      const revision = await this.#store.commit({
        expect: [before],
        put: [{ partition, key, value: JSON.stringify(record) }],
      });
      this.#held.set(record.name, this.#now());
      return { ...before, version: String(revision) };
    } catch (error) {
      // Another process was faster.
      if (isErrorCode(error, "conflict")) return undefined;
      throw error;
    }
  }
}
