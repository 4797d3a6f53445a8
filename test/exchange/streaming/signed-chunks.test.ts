import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { beginChecksum } from "../../../src/exchange/streaming/checksums.ts";
import { DamagedStream, SignedChunks } from "../../../src/exchange/streaming/signed-chunks.ts";
import { ChunkChain } from "../../../src/identity/signature/chunk-chain.ts";
import { signingKey } from "../../../src/identity/signature/signing.ts";
import { inChunks, signedParts } from "./chunk-signer.ts";

const SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
const TIMESTAMP = "20130524T000000Z";
const SCOPE = ["20130524", "us-east-1", "s3", "aws4_request"];
/** The signatures of the requests in Amazon's examples. */
const SEED = "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9";
const TRAILING_SEED = "106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e";
const EXAMPLE = Buffer.alloc(66_560, "a");

interface Reading {
  readonly bytes?: number;
  readonly seed?: string;
  readonly trailer?: string;
  /** Bytes that come at once. */
  readonly pieces?: number;
}

/** The content that was let go before the end, and the rest. */
function read(wire: Buffer, { bytes = EXAMPLE.length, seed = SEED, trailer, pieces = 65_536 }: Reading = {}) {
  const scope = SCOPE.join("/");
  const key = signingKey(
    { secret: SECRET, signingKeys: new Map() },
    { date: "20130524", region: "us-east-1", scope },
  );
  const chain = new ChunkChain(key, { timestamp: TIMESTAMP, scope, given: seed });
  const checksum = trailer === undefined ? undefined : beginChecksum(trailer);
  const expected = trailer === undefined || checksum === undefined ? undefined : { name: trailer, checksum };
  const chunks = new SignedChunks({ chain, bytes, trailer: expected });
  const early: Buffer[] = [];
  let fault: string | undefined;
  let rest: Buffer | undefined;
  try {
    for (const piece of inChunks(wire, pieces)) early.push(...chunks.take(piece));
    rest = chunks.end();
  } catch (error) {
    if (!(error instanceof DamagedStream)) throw error;
    fault = error.fault;
  }
  return { early: Buffer.concat(early), rest: rest ?? Buffer.alloc(0), fault };
}

const body = (content: Buffer, size: number, more: { seed?: string; trailer?: [string, string] } = {}) =>
  signedParts({
    secret: SECRET,
    timestamp: TIMESTAMP,
    scope: SCOPE,
    seed: more.seed ?? SEED,
    chunks: inChunks(content, size),
    trailer: more.trailer,
  });

describe("a body signed in chunks (spec/exchange §6)", () => {
  it("is signed as Amazon's examples are", () => {
    const plain = body(EXAMPLE, 65_536).toString();
    for (const signature of [
      "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648",
      "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497",
      "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9",
    ]) {
      expect(plain).toContain(signature);
    }
    const trailing = body(EXAMPLE, 65_536, {
      seed: TRAILING_SEED,
      trailer: ["x-amz-checksum-crc32c", "sOO8/Q=="],
    });
    expect(trailing.toString()).toContain("d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435");
    const { early, rest, fault } = read(Buffer.concat(trailing), {
      seed: TRAILING_SEED,
      trailer: "x-amz-checksum-crc32c",
    });
    expect(fault).toBeUndefined();
    expect(Buffer.concat([early, rest]).equals(EXAMPLE)).toBe(true);
  });

  it.each([1, 2, 3, 7, 83, 1024, 70_000])("is unwrapped however it is cut: %d bytes at once", (pieces) => {
    const wire = Buffer.concat(body(EXAMPLE, 20_000));
    const { early, rest, fault } = read(wire, { pieces });
    expect(fault).toBeUndefined();
    expect(rest.length).toBeGreaterThan(0);
    expect(Buffer.concat([early, rest]).equals(EXAMPLE)).toBe(true);
  });

  it("of no bytes has no content", () => {
    expect(read(Buffer.concat(body(Buffer.alloc(0), 1)), { bytes: 0 })).toMatchObject({
      fault: undefined,
      rest: Buffer.alloc(0),
    });
  });

  it("is not let go to its end while a bit of it is wrong, wherever that is", () => {
    const content = Buffer.from("0123456789".repeat(3));
    const wire = Buffer.concat(
      body(content, 10, { trailer: ["x-amz-checksum-crc32", crc32Of(content)], seed: SEED }),
    );
    const reading = { bytes: content.length, trailer: "x-amz-checksum-crc32" };
    expect(read(wire, reading).fault).toBeUndefined();
    for (let bit = 0; bit < wire.length * 8; bit++) {
      const damaged = Buffer.from(wire);
      damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
      const { early, fault } = read(damaged, reading);
      // The only bits without a meaning: the letter case of a size or a name, and how a line of the trailer ends.
      if (fault === undefined) expect(isSameWriting(wire, damaged)).toBe(true);
      else expect(early.length).toBeLessThan(content.length);
    }
  });

  it("is not let go to its end where it is cut, wherever that is", () => {
    const content = Buffer.from("0123456789".repeat(3));
    const wire = Buffer.concat(body(content, 10));
    for (let length = 0; length < wire.length - 2; length++) {
      const { early, fault } = read(wire.subarray(0, length), { bytes: content.length });
      expect(fault).toBe("cut");
      expect(early.length).toBeLessThan(content.length);
    }
  });

  it.each([
    ["a chunk twice", (parts: Buffer[]) => [...parts.slice(0, 3), ...parts], "signature"],
    ["a chunk left out", (parts: Buffer[]) => parts.slice(3), "signature"],
    ["two chunks exchanged", (parts: Buffer[]) => [...parts.slice(3, 6), ...parts.slice(0, 3)], "signature"],
    ["something behind the end", (parts: Buffer[]) => [...parts, Buffer.from("x")], "malformed"],
    ["the end too early", (parts: Buffer[]) => [...parts.slice(0, 3), ...parts.slice(-2)], "cut"],
    ["a header without an end", () => [Buffer.alloc(5000, "a")], "malformed"],
    ["a size that is none", () => [Buffer.from(`-1;chunk-signature=${"a".repeat(64)}\r\n`)], "malformed"],
    ["more than it says", (parts: Buffer[]) => [Buffer.from(`f${String(parts[0])}`)], "malformed"],
  ] as const)("is refused with %s", (_what, change, expected) => {
    const content = Buffer.alloc(30, "b");
    const wire = Buffer.concat(change(body(content, 10)) as Buffer[]);
    const { early, fault } = read(wire, { bytes: content.length });
    expect(fault).toBe(expected);
    expect(early.length).toBeLessThan(content.length);
  });

  it("is refused in thousands of chunks of a few bytes", () => {
    const content = Buffer.alloc(2_000, "c");
    expect(read(Buffer.concat(body(content, 1)), { bytes: content.length }).fault).toBe("malformed");
    expect(read(Buffer.concat(body(content, 2)), { bytes: content.length }).fault).toBeUndefined();
  });

  it.each([
    ["x-amz-checksum-crc32", "y/Q5Jg=="],
    ["x-amz-checksum-crc32c", "4waSgw=="],
    ["x-amz-checksum-crc64nvme", "rosUhgp5mIg="],
    ["x-amz-checksum-sha1", createHash("sha1").update("123456789").digest("base64")],
    ["x-amz-checksum-sha256", createHash("sha256").update("123456789").digest("base64")],
  ] as [string, string][])("is held against the checksum in its trailer: %s", (name, value) => {
    const content = Buffer.from("123456789");
    const reading = { bytes: content.length, trailer: name };
    const right = Buffer.concat(body(content, 4, { trailer: [name, value] }));
    expect(read(right, reading)).toMatchObject({ fault: undefined });
    const other = Buffer.concat(body(content, 4, { trailer: [name, value.replace(/^./, "A")] }));
    expect(read(other, reading).fault).toBe("checksum");
    const unnamed = Buffer.concat(body(content, 4, { trailer: ["x-amz-meta-a", value] }));
    expect(read(unnamed, reading).fault).toBe("malformed");
  });

  it.each(["x-amz-checksum-crc32c", "x-amz-checksum-crc64nvme"])(
    "%s is the same in pieces of any length",
    (name) => {
      const content = Buffer.from(Array.from({ length: 1_000 }, (_, index) => (index * 31) & 0xff));
      const sums = [1, 3, 8, 13, 64, 1_000].map((size) => {
        const checksum = beginChecksum(name);
        for (const piece of inChunks(content, size)) checksum?.update(piece);
        return checksum?.digest();
      });
      expect(new Set(sums).size).toBe(1);
    },
  );
});

function crc32Of(content: Buffer): string {
  const checksum = beginChecksum("x-amz-checksum-crc32");
  checksum?.update(content);
  return checksum?.digest() ?? "";
}

function isSameWriting(wire: Buffer, damaged: Buffer): boolean {
  const plain = (bytes: Buffer) => bytes.toString("latin1").toLowerCase().replaceAll("\r", "");
  return plain(wire) === plain(damaged);
}
