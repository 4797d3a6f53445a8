import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SigningKey } from "../../src/identity/signature/signing-key.ts";

const key32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
const hexDigest = fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: 64, maxLength: 64 });
const timestamp = fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 14, maxLength: 14 });
const scope = fc.string({ unit: "grapheme", maxLength: 80 });

describe("a signing key", () => {
  it("signs as node:crypto does, whatever it signed before", () => {
    const requests = fc.array(fc.tuple(timestamp, hexDigest), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(key32, scope, requests, (bytes, ofScope, signed) => {
        const key = new SigningKey(Buffer.from(bytes), ofScope);
        for (const [digits, digest] of signed) {
          const time = `${digits.slice(0, 8)}T${digits.slice(8)}Z`;
          const text = `AWS4-HMAC-SHA256\n${time}\n${ofScope}\n${digest}`;
          expect(key.sign(time, digest)).toBe(createHmac("sha256", bytes).update(text).digest("hex"));
        }
      }),
    );
  });

  it("refuses parts that would leave some of an earlier text in their place", () => {
    const key = new SigningKey(Buffer.alloc(32), "20260304/us-east-1/s3/aws4_request");
    expect(() => key.sign("20260304T12000Z", "0".repeat(64))).toThrow(RangeError);
    expect(() => key.sign("20260304T120000Z", "0".repeat(63))).toThrow(RangeError);
  });
});
