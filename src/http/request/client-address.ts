/** Addresses of peers, and of clients behind proxies (spec/security §2.9). */

import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { parseIpv6 } from "@svc-authorizer/policy/ipv6.ts";
import ipaddr from "ipaddr.js";

const MAPPED = "::ffff:";
const COLON = 0x3a;

/**
 * Returns an address as it is compared and shown: IPv4 without the prefix `::ffff:`, link-local IPv6 without its
 * zone.
 */
export function plainAddress(address: string): string {
  if (address.charCodeAt(0) !== COLON && !address.includes("%")) return address;
  const bare = address.toLowerCase().startsWith(MAPPED) ? address.slice(MAPPED.length) : address;
  if (isIP(bare) === 4) return bare;
  const zone = address.indexOf("%");
  return zone < 0 ? address : address.slice(0, zone);
}

/** Groups of an IPv6 address in its first 64 bits. */
const NETWORK_GROUPS = 4;

/** The block that an address is counted in: an IPv4 address, the /64 of an IPv6 address, or the text itself. */
export function addressBlock(address: string): string {
  const plain = plainAddress(address);
  if (isIP(plain) !== 6) return plain;
  const groups = ipaddr.IPv6.parse(plain).parts.slice(0, NETWORK_GROUPS);
  return `${groups.map((group) => group.toString(16)).join(":")}::/64`;
}

const LOOPBACK = ["127.0.0.0/8", "::1"];
const ALL_BITS = 128;
const MAPPED_BITS = 96;
/** IPv4 addresses in their 16-byte form. */
const MAPPED_RANGE = [ipaddr.IPv6.parse("::ffff:0:0"), MAPPED_BITS] as const;

/** The 16-byte form of a valid address: IPv4 as IPv4-mapped IPv6. */
function wide(address: string): ipaddr.IPv6 {
  return isIP(address) === 4 ? ipaddr.IPv4.parse(address).toIPv4MappedAddress() : parseIpv6(address);
}

function rangeOf(entry: string): readonly [ipaddr.IPv6, number] {
  const [address = "", prefix] = entry.split("/");
  const bits = Number(prefix) + (isIP(address) === 4 ? MAPPED_BITS : 0);
  return [wide(address), prefix === undefined ? ALL_BITS : bits];
}

/** The peers of `authorizer.trusted_proxies`. */
export class TrustedProxies {
  /** An address in its 16-byte form and how many of its bits count. */
  readonly #ranges: readonly (readonly [address: ipaddr.IPv6, bits: number])[];
  /** The last answer: a listener has few peers. */
  #last = { address: "", trusted: false };

  /** @param entries addresses, CIDR blocks, `loopback`; checked by the configuration */
  constructor(entries: readonly string[]) {
    this.#ranges = entries.flatMap((entry) => (entry === "loopback" ? LOOPBACK : [entry])).map(rangeOf);
  }

  /** True for a trusted address; false for a text that is none. */
  has(address: string | undefined): boolean {
    if (address === undefined) return false;
    if (address === this.#last.address) return this.#last.trusted;
    const plain = plainAddress(address);
    const trusted = isIP(plain) !== 0 && this.#contains(wide(plain));
    this.#last = { address, trusted };
    return trusted;
  }

  #contains(address: ipaddr.IPv6): boolean {
    const isIpv4 = address.match(...MAPPED_RANGE);
    // A range of IPv6 addresses contains no IPv4 address, not even `::/0`.
    return this.#ranges.some(
      ([range, bits]) => address.match(range, bits) && (!isIpv4 || bits >= MAPPED_BITS),
    );
  }

  /** Returns the client's address of a request ({@link clientAddress}); undefined where it is not known. */
  clientOf({ socket, headers }: IncomingMessage): string | undefined {
    const peer = socket.remoteAddress;
    const forwardedFor = headers["x-forwarded-for"];
    const joined = Array.isArray(forwardedFor) ? forwardedFor.join(",") : forwardedFor;
    return peer === undefined ? undefined : clientAddress(this, peer, joined);
  }
}

/**
 * The client's address: the first from the right that is no trusted proxy, beginning with the peer itself.
 * @param forwardedFor `X-Forwarded-For`; headers of the same name joined with commas
 * @returns undefined where the list holds something that is no address before the client's is found: then nobody
 * knows where the request comes from, and a deny on addresses must not be passed by
 */
export function clientAddress(
  trusted: TrustedProxies,
  peer: string,
  forwardedFor: string | undefined,
): string | undefined {
  if (forwardedFor === undefined || !trusted.has(peer)) return plainAddress(peer);
  let client = peer;
  for (let end = forwardedFor.length; end >= 0; ) {
    const comma = forwardedFor.lastIndexOf(",", end - 1);
    const element = plainAddress(forwardedFor.slice(comma + 1, end).trim());
    if (isIP(element) === 0) return undefined;
    client = element;
    if (comma < 0 || !trusted.has(client)) break;
    end = comma;
  }
  return plainAddress(client);
}
