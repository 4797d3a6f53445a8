import { describe, expect, it } from "vitest";
import { clientAddress, TrustedProxies } from "../../src/http/client-address.ts";

describe("trusted proxies", () => {
  const trusted = new TrustedProxies(["loopback", "10.0.0.0/8", "192.0.2.7", "2001:db8::/32"]);

  it.each([
    ["127.0.0.1", true],
    ["127.9.9.9", true],
    ["::1", true],
    ["::ffff:127.0.0.1", true],
    ["::FFFF:10.1.2.3", true],
    ["10.255.0.1", true],
    ["192.0.2.7", true],
    ["192.0.2.8", false],
    ["2001:db8:1::5", true],
    ["2001:db9::5", false],
    ["11.0.0.1", false],
    ["", false],
    ["10.0.0.1, 10.0.0.2", false],
    ["unknown", false],
  ])("%s: %s", (address, expected) => {
    expect(trusted.has(address)).toBe(expected);
    expect(trusted.has(address)).toBe(expected);
  });

  it("a socket without address is none", () => {
    expect(trusted.has(undefined)).toBe(false);
  });
});

describe("SourceIp (security.md §2.9) is the first from the right that is no trusted proxy", () => {
  const trusted = new TrustedProxies(["loopback", "10.0.0.0/8"]);

  it.each<[string, string, string | undefined, string | undefined]>([
    ["without the header, the peer", "127.0.0.1", undefined, "127.0.0.1"],
    ["one element", "127.0.0.1", "203.0.113.9", "203.0.113.9"],
    ["what a client forged stands further left", "127.0.0.1", "10.6.6.6, 203.0.113.9", "203.0.113.9"],
    [
      "a chain of trusted proxies",
      "127.0.0.1",
      "198.51.100.1, 203.0.113.9,10.0.0.2 , 10.0.0.3",
      "203.0.113.9",
    ],
    ["only trusted ones: the leftmost", "127.0.0.1", "10.0.0.9, 10.0.0.2", "10.0.0.9"],
    ["an IPv6 client", "::1", "2001:db8::1", "2001:db8::1"],
    ["IPv4 in an IPv6 coat", "::ffff:127.0.0.1", "::ffff:203.0.113.9", "203.0.113.9"],
    ["a peer that is not trusted is the client", "203.0.113.9", "10.0.0.1", "203.0.113.9"],
    ["something that is no address: unknown", "127.0.0.1", "203.0.113.9, unknown", undefined],
    ["an empty element: unknown", "127.0.0.1", "203.0.113.9,", undefined],
    ["an empty header: unknown", "127.0.0.1", "", undefined],
    ["a link-local client without the interface", "127.0.0.1", "fe80::1%eth0", "fe80::1"],
    ["an address with port: unknown", "127.0.0.1", "203.0.113.9:4711", undefined],
    ["what stands left of the client is not looked at", "127.0.0.1", "unknown, 203.0.113.9", "203.0.113.9"],
  ])("%s", (_what, peer, header, expected) => {
    expect(clientAddress(trusted, peer, header)).toBe(expected);
  });

  it("takes time linear in the header", () => {
    expect(clientAddress(trusted, "127.0.0.1", `${"10.0.0.1,".repeat(100_000)}10.0.0.1`)).toBe("10.0.0.1");
  });
});
