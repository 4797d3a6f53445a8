import { BlockList, isIP } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clientAddress, plainAddress, TrustedProxies } from "../../src/http/request/client-address.ts";

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

  it("an IPv4 address is the same with and without ::ffff:, and no IPv6 range but a mapped one holds it", () => {
    const mapped = new TrustedProxies(["::ffff:10.0.0.0/104", "2001:db8::/32"]);
    expect(mapped.has("10.1.2.3")).toBe(true);
    expect(mapped.has("::ffff:a01:203")).toBe(true);
    expect(mapped.has("11.1.2.3")).toBe(false);
    expect(new TrustedProxies(["0.0.0.0/0"]).has("::1")).toBe(false);
    expect(new TrustedProxies(["::/0"]).has("1.2.3.4")).toBe(false);
    expect(new TrustedProxies(["::/81"]).has("::ffff:1.2.3.4")).toBe(false);
  });

  it("are those of net.BlockList", () => {
    const address = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.ipV4().map((text) => `::${text}`),
      fc.ipV4().map((text) => `::ffff:${text}`),
    );
    fc.assert(
      fc.property(address, fc.nat(128), address, (base, length, asked) => {
        const family = (text: string) => (isIP(text) === 4 ? "ipv4" : "ipv6");
        const bits = family(base) === "ipv4" ? length % 33 : length;
        const oracle = new BlockList();
        oracle.addSubnet(base, bits, family(base));
        const list = new TrustedProxies([`${base}/${bits}`]);
        for (const one of [base, asked]) {
          // The two spellings of an IPv4 address are one address; no range of IPv6 addresses contains it.
          const plain = plainAddress(one);
          const isOutside = family(plain) === "ipv4" && family(base) === "ipv6" && bits < 96;
          const expected =
            !isOutside && (oracle.check(plain, family(plain)) || oracle.check(one, family(one)));
          expect(list.has(one), one).toBe(expected);
        }
      }),
    );
  });

  it("a socket without address is none", () => {
    expect(trusted.has(undefined)).toBe(false);
  });
});

describe("SourceIp (spec/security §2.9) is the first from the right that is no trusted proxy", () => {
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
    ["IPv4-mapped IPv6", "::ffff:127.0.0.1", "::ffff:203.0.113.9", "203.0.113.9"],
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
