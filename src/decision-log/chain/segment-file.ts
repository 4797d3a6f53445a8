/** The open segment of a chain: appends whole lines, and leaves no part of them behind if there is no room. */

import { type FileHandle, open } from "node:fs/promises";

const MODE = 0o600;

/** A file that lines are appended to. */
export class SegmentFileWriter {
  readonly path: string;
  readonly #handle: FileHandle;
  #size: number;
  /** True if a failed write may have left a part of a line. */
  #dirty = false;

  private constructor(path: string, handle: FileHandle, size: number) {
    this.path = path;
    this.#handle = handle;
    this.#size = size;
  }

  /** Opens or creates the file. */
  static async open(path: string): Promise<SegmentFileWriter> {
    const handle = await open(path, "a", MODE);
    return new SegmentFileWriter(path, handle, (await handle.stat()).size);
  }

  /** Bytes of whole lines. */
  get size(): number {
    return this.#size;
  }

  /** Appends all or nothing. Rejects with the error of the file system; calling it again is then sound. */
  async append(blocks: readonly Buffer[], bytes: number): Promise<void> {
    if (this.#dirty) await this.#cut();
    this.#dirty = true;
    try {
      for (const block of blocks) await this.#write(block);
    } catch (error) {
      await this.#cut().catch(() => undefined);
      throw error;
    }
    this.#dirty = false;
    this.#size += bytes;
  }

  async #write(block: Buffer): Promise<void> {
    for (let done = 0; done < block.length; ) {
      done += (await this.#handle.write(block, done, block.length - done)).bytesWritten;
    }
  }

  /** Removes what a failed write left. */
  async #cut(): Promise<void> {
    await this.#handle.truncate(this.#size);
    this.#dirty = false;
  }

  /** Makes what was appended survive a loss of power. */
  sync(): Promise<void> {
    return this.#handle.datasync();
  }

  /** Cuts what a failed write left, and closes the file. */
  async close(): Promise<void> {
    if (this.#dirty) await this.#cut().catch(() => undefined);
    await this.#handle.close();
  }
}
