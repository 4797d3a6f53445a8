/** Reads segments line by line, compressed ones too. */

import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { open, stat } from "node:fs/promises";
import { pipeline } from "node:stream";
import { createZstdDecompress } from "node:zlib";
import type { SegmentFile } from "./chain-files.ts";

const READ_BYTES = 1 << 20;
/** Longer lines are no records: a batch of the largest size has less. */
const LONGEST_LINE = 256 << 20;

/** One line of a segment. */
export interface SegmentLine {
  /** Without its line feed. Valid until the next line is read. */
  readonly line: Buffer;
  /** 1-based. */
  readonly number: number;
  /** Offset of its first byte, uncompressed. */
  readonly offset: number;
  /** False for the rest after the last line feed. */
  readonly complete: boolean;
}

/**
 * The lines of a segment from an offset on, which must be the beginning of a line.
 * Rejects with the error of the file system or of the decompression.
 * @param number the number of the first line
 */
export async function* segmentLines(
  { path, compressed }: SegmentFile,
  offset = 0,
  number = 1,
): AsyncGenerator<SegmentLine> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  let at = offset;
  for await (const piece of pieces(path, compressed, offset)) {
    let start = 0;
    for (;;) {
      const end = piece.indexOf(0x0a, start);
      if (end < 0) break;
      const own = piece.subarray(start, end);
      const line = restBytes === 0 ? own : Buffer.concat([...rest, own]);
      yield { line, number, offset: at, complete: true };
      at += line.length + 1;
      number++;
      rest = [];
      restBytes = 0;
      start = end + 1;
    }
    if (start === piece.length) continue;
    rest.push(piece.subarray(start));
    restBytes += piece.length - start;
    if (restBytes > LONGEST_LINE) break;
  }
  if (restBytes > 0) yield { line: Buffer.concat(rest), number, offset: at, complete: false };
}

async function* pieces(path: string, compressed: boolean, offset: number): AsyncGenerator<Buffer> {
  if (!compressed) {
    try {
      yield* createReadStream(path, { start: offset, highWaterMark: READ_BYTES });
      return;
    } catch (error) {
      // A segment may have been compressed since it was found.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || !existsSync(`${path}.zst`)) throw error;
      path += ".zst";
    }
  }
  let skip = offset;
  const failed = () => {};
  const source = createReadStream(path, { highWaterMark: READ_BYTES });
  for await (const piece of pipeline(source, createZstdDecompress(), failed) as AsyncIterable<Buffer>) {
    const kept = skip === 0 ? piece : piece.subarray(Math.min(skip, piece.length));
    skip -= piece.length - kept.length;
    if (kept.length > 0) yield kept;
  }
}

/** Bytes of the trailer that {@link trailerOf} makes. */
const TRAILER_BYTES = 40;

const DIGEST_BYTES = 32;
/** A skippable frame: every decoder passes over it. */
const SKIPPABLE_FRAME = 0x184d2a50;

/** Returns a frame with the digest of what comes before it, so that a changed byte never goes unnoticed. */
export function trailerOf(digest: Buffer): Buffer {
  const head = Buffer.alloc(TRAILER_BYTES - DIGEST_BYTES);
  head.writeUInt32LE(SKIPPABLE_FRAME, 0);
  head.writeUInt32LE(DIGEST_BYTES, 4);
  return Buffer.concat([head, digest]);
}

/** True if the trailer of a compressed segment is that of its content. */
export async function hasSoundTrailer(path: string): Promise<boolean> {
  const { size } = await stat(path);
  if (size < TRAILER_BYTES) return false;
  const sum = createHash("sha256");
  const content = size - TRAILER_BYTES;
  if (content > 0) {
    for await (const piece of createReadStream(path, { end: content - 1, highWaterMark: READ_BYTES })) {
      sum.update(piece as Buffer);
    }
  }
  const trailer = Buffer.alloc(TRAILER_BYTES);
  const handle = await open(path, "r");
  try {
    await handle.read(trailer, 0, TRAILER_BYTES, content);
  } finally {
    await handle.close();
  }
  return trailer.equals(trailerOf(sum.digest()));
}
