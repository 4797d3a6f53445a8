/** A closed segment is compressed in pieces, which share memory. */

import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { expect, it } from "vitest";
import { compressSegment } from "../../src/decision-log/chain/compress.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const PIECE = 1 << 20;

it.each([0, 100, PIECE, 3 * PIECE + 1])("a compressed segment of %d bytes has what it had", async (bytes) => {
  const path = join(temporaryFolder(), "0000000001.jsonl");
  // What does not become shorter is taken more slowly than it is read.
  const content = randomBytes(bytes);
  writeFileSync(path, content);
  const compressed = await compressSegment({ number: 1, path, compressed: false });
  expect(existsSync(path)).toBe(false);
  expect(zstdDecompressSync(readFileSync(compressed.path)).equals(content)).toBe(true);
});
