/** Compresses closed segments with zstd, off the event loop. */

import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { appendFile, type FileHandle, open, rename, rm } from "node:fs/promises";
import { Transform, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress } from "node:zlib";
import type { SegmentFile } from "@svc-authorizer/policy/records/chain-files.ts";
import { trailerOf } from "@svc-authorizer/policy/records/read-lines.ts";

const MODE = 0o600;
/** Each piece costs a turn of the event loop. */
const PIECE_BYTES = 1 << 20;

/**
 * Replaces a segment by its compressed form. At each moment one of the two is whole.
 * @returns the compressed segment; an already compressed one as it is
 */
export async function compressSegment(segment: SegmentFile): Promise<SegmentFile> {
  if (segment.compressed) return segment;
  const path = `${segment.path}.zst`;
  const unfinished = `${path}.new`;
  const sum = createHash("sha256");
  const summed = new Transform({
    transform: (piece: Buffer, _encoding, done) => {
      sum.update(piece);
      done(null, piece);
    },
  });
  const source = await open(segment.path);
  try {
    const compressor = createZstdCompress({
      chunkSize: PIECE_BYTES >> 2,
      params: { [constants.ZSTD_c_checksumFlag]: 1, [constants.ZSTD_c_compressionLevel]: 1 },
    });
    const target = createWriteStream(unfinished, { mode: MODE });
    await pipeline(piecesFor(compressor, source), compressor, summed, target);
    await appendFile(unfinished, trailerOf(sum.digest()));
    const handle = await open(unfinished, "r+");
    await handle.datasync().finally(() => handle.close());
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw error;
  } finally {
    await source.close();
  }
  await rm(segment.path, { force: true });
  return { ...segment, path, compressed: true };
}

/**
 * The pieces of a file, in one piece of memory again and again: a new one for each of them makes the garbage collector
 * look at the whole heap once a segment.
 */
async function* piecesFor(reader: Writable, source: FileHandle): AsyncGenerator<Buffer, void> {
  let memory: Buffer | undefined;
  for (;;) {
    // Not while the reader still has the piece before.
    if (memory === undefined || reader.writableLength > 0) memory = Buffer.allocUnsafeSlow(PIECE_BYTES);
    const { bytesRead } = await source.read(memory, 0, PIECE_BYTES, null);
    if (bytesRead === 0) return;
    yield memory.subarray(0, bytesRead);
  }
}
