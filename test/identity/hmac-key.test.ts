import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HmacKey } from "../../src/identity/signature/hmac-key.ts";

const expected = (key: Uint8Array, text: string) => createHmac("sha256", key).update(text).digest("hex");

describe("an HMAC key", () => {
  it("signs any text as node:crypto does, one after the other", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 500 }),
      fc.nat(3_000).map((length) => "ä€x".repeat(length)),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), fc.array(text, { maxLength: 4 }), (bytes, texts) => {
        const key = new HmacKey(Buffer.from(bytes));
        for (const one of texts) expect(key.sign(one)).toBe(expected(bytes, one));
      }),
    );
  });

  it("refuses a key that is longer than a block, which it would have to hash", () => {
    expect(() => new HmacKey(Buffer.alloc(65))).toThrow(RangeError);
  });
});
