/** Failed attempts, counted per access key and source in a bounded table (security.md §2.10). */

import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { parseIp } from "../model/ip.ts";

/** `count` failures in every `intervalMs` milliseconds (`authorizer.forward_auth.max_failures`). */
export interface FailureLimit {
  readonly count: number;
  readonly intervalMs: number;
}

interface Level {
  /** Failures, less those that time has taken off. */
  failures: number;
  /** Unix milliseconds. */
  at: number;
}

const MAX_COUNTED = 10_000;
const MAPPED_BYTES = 12;
const NETWORK_BYTES = 8;

/** The source that attempts are counted for: an IPv4 address, the /64 of an IPv6 address, or the text itself. */
export function sourceOf(address: string): string {
  const bytes = parseIp(address);
  if (bytes === undefined) return address;
  const isV4 = bytes.slice(0, MAPPED_BYTES).every((byte, index) => byte === (index < 10 ? 0 : 0xff));
  return (isV4 ? bytes.slice(MAPPED_BYTES) : bytes.slice(0, NETWORK_BYTES)).join(".");
}

/**
 * Counts failures: each adds one, time takes them off evenly. Only failures cost anything here; one who knows the secret
 * is not looked up at all.
 */
export class FailedAttempts {
  readonly #limit: FailureLimit;
  readonly #now: () => number;
  readonly #levels = new LRUCache<string, Level>({ max: MAX_COUNTED });

  /** @param now Unix milliseconds */
  constructor(limit: FailureLimit, now: () => number) {
    this.#limit = limit;
    this.#now = now;
  }

  /** Whether as many attempts have failed as may. */
  isOver(accessKeyId: string, address: string): boolean {
    const level = this.#levels.get(keyOf(accessKeyId, address));
    return level !== undefined && this.#failuresNow(level) > this.#limit.count - 1;
  }

  /** Counts a failure; the seconds to wait when there were too many, else 0. */
  count(accessKeyId: string, address: string): number {
    const key = keyOf(accessKeyId, address);
    const before = this.#levels.get(key);
    const failures = (before === undefined ? 0 : this.#failuresNow(before)) + 1;
    const { count, intervalMs } = this.#limit;
    // What is over the limit is not added up: who stops is served as before after one interval at most.
    this.#levels.set(key, { failures: Math.min(failures, count), at: this.#now() });
    return failures <= count ? 0 : Math.ceil(((failures - count) * intervalMs) / count / 1_000);
  }

  #failuresNow({ failures, at }: Level): number {
    const { count, intervalMs } = this.#limit;
    // A clock set back must not add failures.
    const passed = Math.max(0, this.#now() - at);
    return Math.max(0, failures - (passed * count) / intervalMs);
  }
}

/** Of one length, whatever was presented. */
function keyOf(accessKeyId: string, address: string): string {
  return hash("sha256", `${sourceOf(address)}\n${accessKeyId}`, "base64");
}
