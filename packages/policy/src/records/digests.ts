/** Digests of the decision log: those of its chains, its seals and its masked values (spec/decision-log §2). */

import { createHmac, hash, hkdfSync } from "node:crypto";

/** The digest before the first line of a chain. */
export const NO_DIGEST = "0".repeat(64);

const KEY_BYTES = 32;
/** Half of a digest tells values apart, and keeps records short. */
const MASK_CHARACTERS = 32;
const MASK = /^masked:[0-9a-f]{32}$/;

/** Returns the SHA-256 of a line without its line feed, as 64 hexadecimal digits. */
export function lineDigest(line: Buffer): string {
  return hash("sha256", line, "hex");
}

/** The keys of a log, derived from `auth.encrypt.secret_key`. */
export interface LogKeys {
  readonly seal: Buffer;
  readonly mask: Buffer;
}

/** Derives the keys of a log; undefined where there is no secret key, which an empty one also says. */
export function keysFrom(secretKey: string | undefined): LogKeys | undefined {
  return secretKey === undefined || secretKey === "" ? undefined : logKeys(secretKey);
}

/** Derives the keys of a log. */
export function logKeys(secretKey: string): LogKeys {
  return { seal: derived(secretKey, "seals"), mask: derived(secretKey, "masks") };
}

function derived(secretKey: string, use: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secretKey, "", `svc-authorizer 1 decision log ${use}`, KEY_BYTES));
}

/** The content of a seal. */
export interface Sealed {
  /** Name of the chain, `<node>-<worker>`. */
  readonly chain: string;
  readonly segment: number;
  /** Number of lines before the seal. */
  readonly lines: number;
  /** Digest of the line before the seal. */
  readonly digest: string;
}

/** Returns the HMAC of a seal. */
export function sealOf({ chain, segment, lines, digest }: Sealed, key: Buffer): string {
  return hmac(key, JSON.stringify(["seal", chain, segment, lines, digest]));
}

/** Returns an HMAC-SHA256 in hexadecimal digits. */
export function hmac(key: Buffer, text: string): string {
  return createHmac("sha256", key).update(text).digest("hex");
}

/** Returns what replaces a masked value: equal for equal values, and useless without the key. */
export function maskOf(value: unknown, key: Buffer): string {
  return `masked:${hmac(key, JSON.stringify(value)).slice(0, MASK_CHARACTERS)}`;
}

/** True for a text that stands for a masked value. */
export function isMask(value: unknown): boolean {
  return typeof value === "string" && MASK.test(value);
}
