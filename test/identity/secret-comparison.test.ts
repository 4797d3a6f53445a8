import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KnownSecret } from "../../src/identity/secret-comparison.ts";
import { sized } from "../proofs/size.ts";

describe("the comparison of secrets", () => {
  it("is true for the very same text alone", () => {
    const text = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 300 }),
      fc.string({ unit: "binary", maxLength: 100 }),
      fc.constantFrom(
        "",
        "a",
        "a\0",
        "\0",
        "a".repeat(127),
        "a".repeat(128),
        "a".repeat(129),
        "ä".repeat(64),
        "ä".repeat(65),
      ),
    );
    fc.assert(
      fc.property(text, text, (secret, other) => {
        const known = new KnownSecret(secret);
        expect(known.isSame(secret)).toBe(true);
        expect(known.isSame(other)).toBe(other.toWellFormed() === secret.toWellFormed());
        expect(known.isSame(`${secret}\0`)).toBe(false);
        expect(known.isSame(`${secret}x`)).toBe(false);
        if (secret !== "") expect(known.isSame(secret.slice(0, -1))).toBe(false);
      }),
      { numRuns: sized(300, 3_000) },
    );
  });

  it("leaves nothing of one attempt for the next", () => {
    const known = new KnownSecret("short");
    expect(known.isSame("a much longer attempt")).toBe(false);
    expect(known.isSame("short")).toBe(true);
  });
});
