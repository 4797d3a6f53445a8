import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readSession, writeSession } from "../../../src/identity/session-cookies/gob.ts";
import { sized } from "../../proofs/size.ts";
import { GOLDEN } from "./golden.ts";

describe("sessions in Go's gob format", () => {
  it.each(GOLDEN)("$name: as Go writes it", ({ session, bytes }) => {
    const read = readSession(bytes);
    expect(read).toEqual(session);
    // Go writes the entries of a map in any order; the reader keeps the order that it found.
    if (read !== undefined) expect(writeSession(read).toString("hex")).toBe(bytes.toString("hex"));
  });

  it("reads no beginning of one, and nothing behind one", () => {
    for (const { bytes } of GOLDEN) {
      for (let length = 0; length < bytes.length; length++) {
        expect(readSession(bytes.subarray(0, length)), String(length)).toBeUndefined();
      }
      expect(readSession(Buffer.concat([bytes, Buffer.from([0])]))).toBeUndefined();
      expect(readSession(Buffer.concat([bytes, bytes]))).toBeUndefined();
    }
  });

  it("reads of changed bytes nothing but what it would write just so", () => {
    const changes = fc.array(
      fc.record({
        at: fc.nat(400),
        bytes: fc.uint8Array({ maxLength: 4 }),
        removed: fc.nat(4),
      }),
      { minLength: 1, maxLength: 3 },
    );
    fc.assert(
      fc.property(fc.constantFrom(...GOLDEN), changes, ({ bytes }, edits) => {
        let changed: Buffer = bytes;
        for (const { at, bytes: added, removed } of edits) {
          const place = at % (changed.length + 1);
          changed = Buffer.concat([changed.subarray(0, place), added, changed.subarray(place + removed)]);
        }
        const read = readSession(changed);
        if (read !== undefined) expect(writeSession(read).equals(changed)).toBe(true);
      }),
      { numRuns: sized(5_000, 50_000) },
    );
  });

  it("reads nothing of random bytes, and no claim twice", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(readSession(Buffer.from(bytes))).toBeUndefined();
      }),
      { numRuns: sized(1_000, 10_000) },
    );
    const claims = new Map([
      ["sub", "alice"],
      ["sux", "bob"],
    ]);
    const text = writeSession({ key: "id_token_claims", claims }).toString("latin1");
    const twice = Buffer.from(text.replace("sux", "sub"), "latin1");
    expect(readSession(twice)).toBeUndefined();
  });
});
