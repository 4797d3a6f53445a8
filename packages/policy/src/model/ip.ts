/**
 * IP addresses and ranges in conditions (spec/evaluation §7.6, spec/evaluation §7.7), read and compared by ipaddr.js. IPv4
 * and IPv4-mapped IPv6 are the same address.
 */

import { isIPv4, isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";
import { parseIpv6 } from "../ipv6.ts";

/** An address; IPv4 in its mapped form. */
export type IpAddress = ipaddr.IPv6;

/** A range: addresses whose first `bits` bits equal those of `network`. */
export interface IpRange {
  /** The first address of the range. */
  readonly network: IpAddress;
  /** 0…128, counted on the 16-byte form. */
  readonly bits: number;
  /** True for ranges of IPv4 addresses: an IPv6 range never contains an IPv4 address, not even `::/0`. */
  readonly v4: boolean;
}

const MAPPED_PREFIX = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];
const MAPPED_BITS = 96;
const ALL_BITS = 128;
const PART_BITS = 16;
/** Characters that are trimmed around values: Unicode White_Space. JavaScript's own trim uses another set. */
const WHITE_SPACE =
  "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000";

/** True for an IPv4 address. The library's own test compares with every known range, for each address of a request. */
export function isIpv4({ parts: [a = 0, b = 0, c = 0, d = 0, e = 0, f] }: IpAddress): boolean {
  return f === 0xffff && (a | b | c | d | e) === 0;
}

/** Parses a bare address: no port, zone, brackets, blanks or leading zeros. Returns undefined for any other text. */
export function parseIp(text: string): IpAddress | undefined {
  // From bytes: the library maps an address by printing and parsing it, five times as slow.
  if (isIPv4(text)) return new ipaddr.IPv6([...MAPPED_PREFIX, ...ipaddr.IPv4.parse(text).toByteArray()]);
  return isIPv6(text) && !text.includes("%") ? parseIpv6(text) : undefined;
}

function trimWhiteSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && WHITE_SPACE.includes(text.charAt(start))) start++;
  while (end > start && WHITE_SPACE.includes(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** The address with all bits after the first `bits` set to zero. */
export function networkOf({ parts }: IpAddress, bits: number): IpAddress {
  // From the parts: the library masks an address by printing and parsing it, ten times as slow.
  return new ipaddr.IPv6(
    parts.map(
      (part, index) => part & ~(0xffff >>> Math.max(0, Math.min(PART_BITS, bits - PART_BITS * index))),
    ),
  );
}

function parseCidr(text: string): IpRange | undefined {
  const slash = text.indexOf("/");
  if (slash < 0) return undefined;
  const address = text.slice(0, slash);
  const length = text.slice(slash + 1);
  const ip = parseIp(address);
  // The digit bound keeps the number exact; a longer one is out of range anyway.
  if (ip === undefined || !/^\d{1,6}$/.test(length)) return undefined;
  const written = Number(length);
  const bits = isIPv4(address) ? written + MAPPED_BITS : written;
  if (bits > ALL_BITS) return undefined;
  const network = networkOf(ip, bits);
  return { network, bits, v4: bits >= MAPPED_BITS && isIpv4(network) };
}

/**
 * Parses a condition value: surrounding white space is ignored; a CIDR (host bits are masked off, the prefix length
 * is decimal digits), else a single address. Returns undefined for any other text.
 */
export function parseIpRange(value: string): IpRange | undefined {
  const text = trimWhiteSpace(value);
  const cidr = parseCidr(text);
  if (cidr !== undefined) return cidr;
  const network = parseIp(text);
  return network === undefined ? undefined : { network, bits: ALL_BITS, v4: isIpv4(network) };
}

/** True if the range contains the address. IPv4 and IPv6 never contain each other. */
export function rangeContains({ network, bits, v4 }: IpRange, address: IpAddress): boolean {
  return v4 === isIpv4(address) && address.match(network, bits);
}
