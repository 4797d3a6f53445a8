/**
 * Reads IPv6 addresses. ipaddr.js takes `::10.1.2.3` for the IPv4-mapped address `::ffff:10.1.2.3`, and its equal `::a01:203`
 * for what it is; so the library never sees an IPv4 tail (spec/evaluation §7.7).
 */

import ipaddr from "ipaddr.js";

/**
 * The address of a text that `isIPv6` of `node:net` takes.
 * @throws Error for another text
 */
export function parseIpv6(text: string): ipaddr.IPv6 {
  const zone = text.indexOf("%");
  const address = zone < 0 ? text : text.slice(0, zone);
  if (!address.includes(".")) return ipaddr.IPv6.parse(address);
  const tail = address.lastIndexOf(":") + 1;
  const [a = 0, b = 0, c = 0, d = 0] = ipaddr.IPv4.parse(address.slice(tail)).octets;
  const group = (high: number, low: number): string => ((high << 8) | low).toString(16);
  return ipaddr.IPv6.parse(`${address.slice(0, tail)}${group(a, b)}:${group(c, d)}`);
}
