/** Where a request comes from: addresses of peers and of clients behind proxies (security.md §2.9). */

import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";

const MAPPED = "::ffff:";

/** An address as it is compared and shown: IPv4 in an IPv6 coat loses the coat, link-local IPv6 its interface. */
export function plainAddress(address: string): string {
  const bare = address.toLowerCase().startsWith(MAPPED) ? address.slice(MAPPED.length) : address;
  if (isIP(bare) === 4) return bare;
  const zone = address.indexOf("%");
  return zone < 0 ? address : address.slice(0, zone);
}

/** The peers of `authorizer.trusted_proxies`. */
export class TrustedProxies {
  readonly #list = new BlockList();
  /** The last answer: a listener has few peers. */
  #last = { address: "", trusted: false };

  /** @param entries addresses, CIDR blocks, `loopback`; checked by the configuration */
  constructor(entries: readonly string[]) {
    for (const entry of entries) this.#add(entry);
  }

  #add(entry: string): void {
    if (entry === "loopback") {
      this.#list.addSubnet("127.0.0.0", 8, "ipv4");
      this.#list.addAddress("::1", "ipv6");
      return;
    }
    const [address = "", prefix] = entry.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (prefix === undefined) this.#list.addAddress(address, family);
    else this.#list.addSubnet(address, Number(prefix), family);
  }

  /** True for a trusted address; false for a text that is none. */
  has(address: string | undefined): boolean {
    if (address === undefined) return false;
    if (address === this.#last.address) return this.#last.trusted;
    const plain = plainAddress(address);
    const family = isIP(plain);
    const trusted = family !== 0 && this.#list.check(plain, family === 6 ? "ipv6" : "ipv4");
    this.#last = { address, trusted };
    return trusted;
  }

  /** The client's address of a request ({@link clientAddress}); undefined where it is not known. */
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
