import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { expect, it } from "vitest";
import { networkOf } from "../../src/model/ip.ts";

it("the network of an address is the one of the library", () => {
  const parts = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 });
  fc.assert(
    fc.property(parts, fc.integer({ min: 0, max: 128 }), (given, bits) => {
      const address = new ipaddr.IPv6(given);
      const wanted = ipaddr.IPv6.networkAddressFromCIDR(`${address.toNormalizedString()}/${bits}`);
      expect(networkOf(address, bits).parts).toEqual(wanted.parts);
    }),
  );
});
