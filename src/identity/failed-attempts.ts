/**
 * Failed attempts, counted per access key and source in a bounded table (spec/security §2.10), and per access key over all
 * sources: a client on the machine of a trusted proxy can name any address as its own.
 */

import { hash } from "node:crypto";
import { isIpv4, networkOf, parseIp } from "@svc-authorizer/policy/model/ip.ts";
import { LRUCache } from "lru-cache";

/** The keys under which an attempt is counted; see {@link TOTAL}. */
type KeysOf = (name: string, address: string) => readonly string[];

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
  /** Milliseconds of the clock that was given. */
  at: number;
}

const MAX_COUNTED = 10_000;
/** Failures of a key from all sources together, as a multiple of those from one. */
const ALL_SOURCES = 4;
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
  readonly #keysOf: KeysOf;
  /** By key and source, and by key. */
  readonly #levels = new LRUCache<string, Level>({ max: 2 * MAX_COUNTED });
  /** Attempts that are not known yet to be right, by the same keys. Who compares bounds them. */
  readonly #open = new Map<string, number>();

  readonly #sharing: FailureSharing | undefined;

  /**
   * @param now milliseconds; default a clock that nobody sets, so that failures neither last nor end with that of the machine
   * @param keys under which attempts are counted; default those of access keys
   */
  constructor(
    limit: FailureLimit,
    now = () => performance.now(),
    sharing?: FailureSharing,
    keys: KeysOf = keysOf,
  ) {
    this.#limit = limit;
    this.#keysOf = keys;
    this.#now = now;
    this.#sharing = sharing;
    sharing?.onTold((key) => this.#add(key));
  }

  /** True if the limit of failures is reached. */
  isOver(accessKeyId: string, address: string): boolean {
    return this.#keysOf(accessKeyId, address).some((key) => this.#isOver(key, 0));
  }

  /**
   * Begins an attempt that is compared beside others, so that not more than the limit are compared before the first has failed.
   * @returns what ends it, after a failure was counted; undefined where the limit is reached if all that have begun fail
   */
  begin(name: string, address: string): (() => void) | undefined {
    const keys = this.#keysOf(name, address);
    if (keys.some((key) => this.#isOver(key, this.#open.get(key) ?? 0))) return undefined;
    for (const key of keys) this.#open.set(key, (this.#open.get(key) ?? 0) + 1);
    return () => {
      for (const key of keys) {
        const left = (this.#open.get(key) ?? 1) - 1;
        if (left === 0) this.#open.delete(key);
        else this.#open.set(key, left);
      }
    };
  }

  #isOver(key: string, more: number): boolean {
    const level = this.#levels.get(key);
    const failures = level === undefined ? 0 : this.#failuresNow(key, level);
    return failures + more > this.#limitOf(key).count - 1;
  }

  /** Counts a failure. Returns the seconds to wait if there were too many, else 0. */
  count(accessKeyId: string, address: string): number {
    return Math.max(
      ...this.#keysOf(accessKeyId, address).map((key) => {
        const failures = this.#add(key);
        this.#sharing?.tell(key);
        const { count, intervalMs } = this.#limitOf(key);
        return failures <= count ? 0 : Math.ceil(((failures - count) * intervalMs) / count / 1_000);
      }),
    );
  }

  /** Adds a failure; returns their number, with those over the limit. */
  #add(key: string): number {
    const before = this.#levels.get(key);
    const failures = (before === undefined ? 0 : this.#failuresNow(key, before)) + 1;
    // Failures over the limit do not add up: a caller who stops is served normally after one interval at most.
    this.#levels.set(key, { failures: Math.min(failures, this.#limitOf(key).count), at: this.#now() });
    return failures;
  }

  #failuresNow(key: string, { failures, at }: Level): number {
    const { count, intervalMs } = this.#limitOf(key);
    // A clock that is set back must not add failures.
    const passed = Math.max(0, this.#now() - at);
    return Math.max(0, failures - (passed * count) / intervalMs);
  }

  #limitOf(key: string): FailureLimit {
    const { count, intervalMs } = this.#limit;
    return key.startsWith(TOTAL) ? { count: count * ALL_SOURCES, intervalMs } : this.#limit;
  }
}

/** The first character of the keys of totals; no digest in Base64 has it. */
const TOTAL = "*";

/** The keys of an attempt, of constant length for any input: that of its source, and that of all sources. */
function keysOf(accessKeyId: string, address: string): readonly string[] {
  return [
    hash("sha256", `${sourceOf(address)}\n${accessKeyId}`, "base64"),
    TOTAL + hash("sha256", accessKeyId, "base64"),
  ];
}

/**
 * The keys of an attempt with a password: that of the name and its source, and that of the source. There is none of the name
 * alone, with which others could shut a person out (spec/sign-in §6). A name is one in every spelling that another directory
 * takes for the same.
 */
export function passwordKeys(name: string, address: string): readonly string[] {
  const source = sourceOf(address);
  const folded = name.normalize("NFKC").trim().toLowerCase();
  return [
    hash("sha256", `password\n${source}\n${folded}`, "base64"),
    TOTAL + hash("sha256", `password\n${source}`, "base64"),
  ];
}

/** The key of an attempt that somebody forwards for a person: that of the name there. */
export function forwardedKeys(name: string, forwarder: string): readonly string[] {
  return [hash("sha256", `forwarded password\n${forwarder}\n${name}`, "base64")];
}
