/** Failed attempts, counted per access key and source in a bounded table (security.md §2.10). */

import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { isIpv4, networkOf, parseIp } from "../model/ip.ts";

/** `count` failures in every `intervalMs` milliseconds (`authorizer.forward_auth.max_failures`). */
export interface FailureLimit {
  readonly count: number;
  readonly intervalMs: number;
}

/** Port: the other processes of this service, which count the same failures. */
export interface FailureSharing {
  /** Tells the others of a failure. */
  tell(key: string): void;
  /** Calls the listener for each failure that another process counted. */
  onTold(listener: (key: string) => void): void;
}

interface Level {
  /** Failures, minus those that have expired. */
  failures: number;
  /** Unix milliseconds. */
  at: number;
}

const MAX_COUNTED = 10_000;
/** Bits of the network part of an IPv6 address. */
const NETWORK_BITS = 64;

/** The source for which attempts are counted: an IPv4 address, the /64 of an IPv6 address, or the text itself. */
export function sourceOf(address: string): string {
  const ip = parseIp(address);
  if (ip === undefined) return address;
  return isIpv4(ip) ? ip.toIPv4Address().toString() : networkOf(ip, NETWORK_BITS).toString();
}

/**
 * Counts failures. Each failure adds one, and failures expire at a constant rate. A correct credential needs no look-up
 * here.
 */
export class FailedAttempts {
  readonly #limit: FailureLimit;
  readonly #now: () => number;
  readonly #levels = new LRUCache<string, Level>({ max: MAX_COUNTED });

  readonly #sharing: FailureSharing | undefined;

  /** @param now Unix milliseconds */
  constructor(limit: FailureLimit, now: () => number, sharing?: FailureSharing) {
    this.#limit = limit;
    this.#now = now;
    this.#sharing = sharing;
    sharing?.onTold((key) => this.#add(key));
  }

  /** True if the limit of failures is reached. */
  isOver(accessKeyId: string, address: string): boolean {
    const level = this.#levels.get(keyOf(accessKeyId, address));
    return level !== undefined && this.#failuresNow(level) > this.#limit.count - 1;
  }

  /** Counts a failure. Returns the seconds to wait if there were too many, else 0. */
  count(accessKeyId: string, address: string): number {
    const key = keyOf(accessKeyId, address);
    const failures = this.#add(key);
    this.#sharing?.tell(key);
    const { count, intervalMs } = this.#limit;
    return failures <= count ? 0 : Math.ceil(((failures - count) * intervalMs) / count / 1_000);
  }

  /** Adds a failure; returns their number, with those over the limit. */
  #add(key: string): number {
    const before = this.#levels.get(key);
    const failures = (before === undefined ? 0 : this.#failuresNow(before)) + 1;
    // Failures over the limit do not add up: a caller who stops is served normally after one interval at most.
    this.#levels.set(key, { failures: Math.min(failures, this.#limit.count), at: this.#now() });
    return failures;
  }

  #failuresNow({ failures, at }: Level): number {
    const { count, intervalMs } = this.#limit;
    // A clock that is set back must not add failures.
    const passed = Math.max(0, this.#now() - at);
    return Math.max(0, failures - (passed * count) / intervalMs);
  }
}

/** A key of constant length for any input. */
function keyOf(accessKeyId: string, address: string): string {
  return hash("sha256", `${sourceOf(address)}\n${accessKeyId}`, "base64");
}
