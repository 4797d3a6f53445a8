import { readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Overflow } from "../../src/compact/overflow.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const BLOCK = 64 * 1024;

/** The open files of this process that lie in a folder, as paths to read them. */
function openFilesIn(folder: string): readonly string[] {
  return readdirSync("/proc/self/fd")
    .map((number) => `/proc/self/fd/${number}`)
    .filter((path) => {
      try {
        return readlinkSync(path).startsWith(folder);
      } catch {
        // The one that lists the folder has gone.
        return false;
      }
    });
}

it.each([
  ["in memory", undefined, 0],
  ["in a file", temporaryFolder(), 0],
  ["in both", temporaryFolder(), 2 * BLOCK],
])("%s, bytes are what they were wherever they are read", (_, folder, mostInMemory) => {
  const lengths = fc.array(fc.integer({ min: 0, max: 3 * BLOCK }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(lengths, fc.array(fc.nat(), { maxLength: 10 }), fc.nat(255), (sizes, readings, seed) => {
      const overflow = new Overflow(folder, mostInMemory);
      const all: number[] = [];
      for (const size of sizes) {
        const bytes = Uint8Array.from({ length: size }, (__, at) => (at * 31 + all.length + seed) % 251);
        expect(overflow.put(bytes)).toBe(all.length);
        for (const byte of bytes) all.push(byte);
        // What is given is not held.
        bytes.fill(0);
      }
      for (const reading of readings) {
        const place = all.length === 0 ? 0 : reading % all.length;
        const length = reading % (all.length - place + 1);
        const found = Buffer.from(overflow.get(place, length));
        expect(found.equals(Buffer.from(all.slice(place, place + length)))).toBe(true);
      }
      overflow.close();
    }),
    { numRuns: 30 },
  );
});

describe.skipIf(process.platform !== "linux")("the file of an overflow", () => {
  it("has no name, is for its owner only, and goes when it is closed", () => {
    const folder = temporaryFolder();
    const overflow = new Overflow(folder, BLOCK);
    overflow.put(new Uint8Array(BLOCK));
    expect(openFilesIn(folder)).toEqual([]);
    overflow.put(new Uint8Array(BLOCK));
    expect(readdirSync(folder)).toEqual([]);
    const [file, ...others] = openFilesIn(folder);
    expect(others).toEqual([]);
    expect([statSync(file!).mode & 0o777, readFileSync(file!).length]).toEqual([0o600, BLOCK]);
    overflow.close();
    overflow.close();
    expect(openFilesIn(folder)).toEqual([]);
  });

  it("takes away what a killed process left, and nothing else", () => {
    const folder = temporaryFolder();
    for (const name of ["svc-authorizer-overflow-1-ab", "data.mdb"]) writeFileSync(join(folder, name), "");
    const overflow = new Overflow(folder, 0);
    overflow.put(new Uint8Array(BLOCK));
    expect(readdirSync(folder)).toEqual(["data.mdb"]);
    overflow.close();
  });
});

it("says which folder has no room for the file", () => {
  const folder = join(temporaryFolder(), "missing");
  const overflow = new Overflow(folder, 0);
  overflow.put(new Uint8Array(BLOCK - 1));
  expect(() => overflow.put(new Uint8Array(1))).toThrow(
    expect.objectContaining({ code: "unavailable", message: expect.stringContaining(`${folder}: ENOENT`) }),
  );
});
