/** Values of the local store, read as the library gives them: from one large buffer, whose `length` is set to that of the value. */

import { describe, expect, it } from "vitest";
import { decodeRecord, encodeValue } from "../../src/store/local/layout.ts";

/** A value at the beginning of a buffer in which bytes of others follow. */
function among(value: Uint8Array, length = value.length): Buffer {
  const shared = Buffer.alloc(4_096, 0x78);
  shared.set(value);
  return Object.defineProperty(shared, "length", { value: length });
}

describe("a value of the local store", () => {
  it("is read up to its end, whatever was written before it", () => {
    for (const version of [1, 2 ** 40 + 3, 1, 7]) {
      const bytes = encodeValue({ version, value: `{"of":"${version} é"}` });
      const record = { value: `{"of":"${version} é"}`, version: String(version) };
      expect(decodeRecord(among(bytes))).toEqual(record);
      expect(decodeRecord(new Uint8Array(bytes))).toEqual(record);
    }
  });

  it("is damaged where its version, its checksum or its text is not what was written", () => {
    const bytes = encodeValue({ version: 5, value: "text" });
    decodeRecord(among(encodeValue({ version: 6, value: "text" })));
    for (let at = 1; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      expect(decodeRecord(among(changed)).damaged).toBe(true);
    }
  });

  it("is damaged where it ends too early, and takes nothing from what follows", () => {
    const bytes = encodeValue({ version: 5, value: "text" });
    for (let length = 0; length < bytes.length; length++)
      expect(decodeRecord(among(bytes, length)).damaged).toBe(true);
  });
});
