/** Contents of this machine: files, and standard input. */

import { createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { UploadSource } from "./upload-body.ts";

/** A content that is kept in a temporary file until it is disposed of. */
interface SpooledSource extends UploadSource {
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
    return { file, size, dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}
