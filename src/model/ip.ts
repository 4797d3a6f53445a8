/**
 * IP addresses and ranges in conditions (evaluation.md §7.6, evaluation.md §7.7). Addresses are 16 bytes; IPv4 and
 * IPv4-mapped IPv6 are the same address.
 */

import { isIPv4, isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";

/** An address as 16 bytes, IPv4 in its mapped form. */
export type IpBytes = readonly number[];

/** A range: addresses whose first `bits` bits equal those of `bytes`. */
export interface IpRange {
  readonly bytes: IpBytes;
  /** 0…128, counted on the 16-byte form. */
  readonly bits: number;
  /** True for ranges of IPv4 addresses: an IPv6 range never contains an IPv4 address, not even `::/0`. */
  readonly v4: boolean;
}

const MAPPED_PREFIX: IpBytes = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];
const MAPPED_BITS = 96;
const ALL_BITS = 128;
/** Characters that are trimmed around values: Unicode White_Space. JavaScript's own trim uses another set. */
const WHITE_SPACE =
  "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000";

function isMapped(bytes: IpBytes): boolean {
  return MAPPED_PREFIX.every((byte, index) => bytes[index] === byte);
}

/** Parses a bare address: no port, zone, brackets, blanks or leading zeros. Returns undefined for any other text. */
export function parseIp(text: string): IpBytes | undefined {
  if (isIPv4(text)) return [...MAPPED_PREFIX, ...ipaddr.IPv4.parse(text).toByteArray()];
  if (!isIPv6(text) || text.includes("%")) return undefined;
  return ipaddr.IPv6.parse(text).toByteArray();
}

function trimWhiteSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && WHITE_SPACE.includes(text.charAt(start))) start++;
  while (end > start && WHITE_SPACE.includes(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

function maskHostBits(bytes: IpBytes, bits: number): number[] {
  return bytes.map((byte, index) => {
    const kept = Math.min(8, Math.max(0, bits - index * 8));
    return byte & (0xff << (8 - kept)) & 0xff;
  });
}

function parseCidr(text: string): IpRange | undefined {
  const slash = text.indexOf("/");
  if (slash < 0) return undefined;
  const address = text.slice(0, slash);
  const length = text.slice(slash + 1);
  const bytes = parseIp(address);
  // The digit bound keeps the number exact; a longer one is out of range anyway.
  if (bytes === undefined || !/^\d{1,6}$/.test(length)) return undefined;
  const written = Number(length);
  const bits = isIPv4(address) ? written + MAPPED_BITS : written;
  if (bits > ALL_BITS) return undefined;
  const masked = maskHostBits(bytes, bits);
  return { bytes: masked, bits, v4: bits >= MAPPED_BITS && isMapped(masked) };
}

/**
 * Parses a condition value: surrounding white space is ignored; a CIDR (host bits are masked off, the prefix length
 * is decimal digits), else a single address. Returns undefined for any other text.
 */
export function parseIpRange(value: string): IpRange | undefined {
  const text = trimWhiteSpace(value);
  const cidr = parseCidr(text);
  if (cidr !== undefined) return cidr;
  const bytes = parseIp(text);
  return bytes === undefined ? undefined : { bytes, bits: ALL_BITS, v4: isMapped(bytes) };
}

/** True if the range contains the address. IPv4 and IPv6 never contain each other. */
export function rangeContains(range: IpRange, address: IpBytes): boolean {
  if (range.v4 !== isMapped(address)) return false;
  const whole = range.bits >> 3;
  for (let index = 0; index < whole; index++) {
    if (range.bytes[index] !== address[index]) return false;
  }
  const rest = range.bits & 7;
  if (rest === 0) return true;
  const mask = (0xff << (8 - rest)) & 0xff;
  return ((range.bytes[whole] as number) & mask) === ((address[whole] as number) & mask);
}
