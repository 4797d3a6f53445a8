/**
 * Writes lines to a file descriptor: standard output, standard error, or a file or device that is only appended to.
 * Writes happen off the event loop, so that a stalled reader at the other end of a pipe does not block requests.
 */

import { close, closeSync, open, openSync, write, writeSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { makeFolder } from "@svc-authorizer/commands/make-folder.ts";
import { FILE_MODE, type LineTarget } from "./line-sink.ts";

const RETRY_MS = 10;
const EXIT_PATIENCE_MS = 1_000;

const writeBytes = promisify(write);
const openDescriptor = promisify(open);
const closeDescriptor = promisify(close);

/** Standard output (1) or standard error (2); `reopen` and `close` leave it open. */
export function standardTarget(descriptor: 1 | 2): LineTarget {
  return new DescriptorTarget(descriptor, undefined);
}

/** A file that is appended to, created with mode 600 (its folder too) by the first line. */
export function appendTarget(path: string): LineTarget {
  return new DescriptorTarget(undefined, path);
}

function isBusy(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === "EAGAIN" || code === "EINTR";
}

class DescriptorTarget implements LineTarget {
  readonly #path: string | undefined;
  #descriptor: number | undefined;
  /** The part of the batch in progress that the operating system has not got. */
  #rest: Buffer | undefined;

  constructor(descriptor: number | undefined, path: string | undefined) {
    this.#descriptor = descriptor;
    this.#path = path;
  }

  async write(batch: string): Promise<void> {
    this.#rest = Buffer.from(batch);
    try {
      this.#descriptor ??= await this.#open();
      while (this.#rest.length > 0) await this.#writeSome(this.#descriptor, this.#rest);
    } finally {
      this.#rest = undefined;
    }
  }

  async #writeSome(descriptor: number, bytes: Buffer): Promise<void> {
    // The thread pool carries out a write that it has taken even when the process exits.
    this.#rest = bytes.subarray(bytes.length);
    try {
      const { bytesWritten } = await writeBytes(descriptor, bytes, 0, bytes.length, null);
      this.#rest = bytes.subarray(bytesWritten);
    } catch (error) {
      if (!isBusy(error)) throw error;
      this.#rest = bytes;
      await sleep(RETRY_MS);
    }
  }

  async #open(): Promise<number> {
    const path = this.#path as string;
    makeFolder(dirname(path));
    return await openDescriptor(path, "a", FILE_MODE);
  }

  #openSync(): number {
    const path = this.#path as string;
    makeFolder(dirname(path));
    return openSync(path, "a", FILE_MODE);
  }

  writeSync(text: string): void {
    const bytes = Buffer.concat([this.#rest ?? Buffer.alloc(0), Buffer.from(text)]);
    if (bytes.length === 0) return;
    const descriptor = this.#descriptor ?? this.#openSync();
    try {
      writeAll(descriptor, bytes);
    } finally {
      if (this.#descriptor === undefined) closeSync(descriptor);
    }
  }

  async reopen(): Promise<void> {
    if (this.#path === undefined) return;
    const before = this.#descriptor;
    this.#descriptor = await this.#open();
    if (before !== undefined) await closeDescriptor(before);
  }

  async close(): Promise<void> {
    const descriptor = this.#descriptor;
    if (this.#path === undefined || descriptor === undefined) return;
    this.#descriptor = undefined;
    await closeDescriptor(descriptor);
  }
}

function writeAll(descriptor: number, bytes: Buffer): void {
  const giveUp = Date.now() + EXIT_PATIENCE_MS;
  let rest = bytes;
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      if (!isBusy(error) || Date.now() > giveUp) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}
