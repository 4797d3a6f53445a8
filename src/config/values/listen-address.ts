/** Addresses to listen on: `host:port`, `[::1]:8001`, `:8000`. */
import { isIP, isIPv6 } from "node:net";
import { parseIpv6 } from "@svc-authorizer/policy/ipv6.ts";
import ipaddr from "ipaddr.js";

/** The address of a listener. */
interface ListenAddress {
  /** Name or IP address, without brackets; empty for every interface. */
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
}

const HOST_NAME =
  /^(?=.{1,253}$)[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?(?:\.[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?)*\.?$/;
const DOTTED_NUMBER = /^[\d.]+$/;

/** Returns the parts of a listen address; undefined for another text. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535) return undefined;
  if (bracketed !== undefined) return isIPv6(bracketed) ? { host: bracketed, port } : undefined;
  const host = plain ?? "";
  const sound = host === "" || isIP(host) === 4 || (HOST_NAME.test(host) && !DOTTED_NUMBER.test(host));
  return sound ? { host, port } : undefined;
}

/** Returns true when only this machine can reach a listener on that host. */
export function isLoopbackHost(host: string): boolean {
  if (host.toLowerCase() === "localhost") return true;
  if (isIP(host) === 4) return ipaddr.IPv4.parse(host).range() === "loopback";
  if (!isIPv6(host)) return false;
  const address = parseIpv6(host);
  const isMapped = address.isIPv4MappedAddress();
  return (isMapped ? address.toIPv4Address() : address).range() === "loopback";
}
