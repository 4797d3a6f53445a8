/** Contents of this machine: files, and standard input. */

import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { UploadSource } from "./upload-body.ts";

/** Bytes that are read at once. */
const CHUNK = 256 * 1024;

/** A file of a known size. */
export function fileSource(file: string, size: number): UploadSource {
  return {
    size,
    file,
    open: (start = 0, end = size) =>
      end === start
        ? Readable.from([])
        : createReadStream(file, { start, end: end - 1, highWaterMark: CHUNK }),
  };
}

/** A content that is kept in a temporary file until it is disposed of. */
export interface SpooledSource extends UploadSource {
  dispose(): Promise<void>;
}

/** Standard input, kept in a file: its size has to be known, and a further try begins at its start. */
export async function spooledInput(input: Readable): Promise<SpooledSource> {
  const folder = await mkdtemp(join(tmpdir(), "svcctl-stdin-"));
  const dispose = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const file = join(folder, "content");
    await pipeline(input, createWriteStream(file, { mode: 0o600 }));
    const { size } = await stat(file);
    return { ...fileSource(file, size), dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}
