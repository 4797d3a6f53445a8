import { isIPv6 } from "node:net";
import { networkOf, parseIp, parseIpRange, rangeContains } from "@svc-authorizer/policy/model/ip.ts";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { expect, it } from "vitest";
import { isLoopbackHost } from "../../../../src/config/values/listen-address.ts";

const PARTS = fc.array(fc.oneof(fc.constantFrom(0, 0, 0, 0xffff), fc.integer({ min: 0, max: 0xffff })), {
  minLength: 8,
  maxLength: 8,
});

it("the network of an address is the one of the library", () => {
  fc.assert(
    fc.property(PARTS, fc.integer({ min: 0, max: 128 }), (given, bits) => {
      const address = new ipaddr.IPv6(given);
      const wanted = ipaddr.IPv6.networkAddressFromCIDR(`${address.toNormalizedString()}/${bits}`);
      expect(networkOf(address, bits).parts).toEqual(wanted.parts);
    }),
  );
});

/** The spellings of an address: in full, with the first zeros left out, each with and without an IPv4 tail. */
function spellings(parts: readonly number[]): string[] {
  const group = (part: number): string => part.toString(16);
  const [high = 0, low = 0] = parts.slice(6);
  const heads = [parts.slice(0, 6).map(group).join(":")];
  const zeros = parts.findIndex((part) => part !== 0);
  if (zeros > 1)
    heads.push(
      `:${parts
        .slice(zeros, 6)
        .map((part) => `:${group(part)}`)
        .join("")}`,
    );
  if (zeros < 0 || zeros >= 6) heads.push(":");
  const tails = [`${group(high)}:${group(low)}`, [high >> 8, high & 255, low >> 8, low & 255].join(".")];
  const all = heads.flatMap((head) => tails.map((tail) => `${head}:${tail}`));
  return [...all, ...all.map((text) => text.toUpperCase())].filter(isIPv6);
}

it("an address is the same in every spelling, and the one that a browser's URL has (spec/evaluation §7.7)", () => {
  fc.assert(
    fc.property(PARTS, (parts) => {
      const [first = "", ...others] = spellings(parts);
      for (const text of [first, ...others]) {
        expect(parseIp(text)?.parts, text).toEqual(parts);
        expect(new URL(`http://[${parseIp(text)}]`).hostname).toBe(new URL(`http://[${text}]`).hostname);
        const range = parseIpRange(`${text}/128`);
        expect(range !== undefined && rangeContains(range, parseIp(first)!), text).toBe(true);
      }
    }),
  );
});

it("::10.1.2.3 is ::a01:203, and not 10.1.2.3", () => {
  const contains = (range: string, address: string) => rangeContains(parseIpRange(range)!, parseIp(address)!);
  expect(contains("10.0.0.0/8", "::10.1.2.3")).toBe(false);
  expect(contains("10.0.0.0/8", "::ffff:10.1.2.3")).toBe(true);
  expect(contains("::a01:203", "::10.1.2.3")).toBe(true);
  expect(contains("::10.0.0.0/104", "::a01:203")).toBe(true);
  expect(contains("::/0", "::10.1.2.3")).toBe(true);
  expect(["127.0.0.1", "::1", "::ffff:127.0.0.1", "::ffff:7f00:1"].every(isLoopbackHost)).toBe(true);
  expect(isLoopbackHost("::127.0.0.1")).toBe(false);
});
