/**
 * Writes lines to a file that is rotated by size: `server.log` is renamed to `server-2026-11-21T10-00-00.000.log` when it
 * has reached its size, and the oldest renamed files are removed (`logging.file_max_size_mb`, `logging.files_keep`).
 */

import { once } from "node:events";
import { appendFileSync } from "node:fs";
import { basename, dirname, extname } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { makeFolder } from "@svc-authorizer/commands/make-folder.ts";
import type { RotatingFileStream } from "rotating-file-stream";
import { FILE_MODE, type LineTarget } from "./line-sink.ts";

/** Limits at which a file is rotated. */
export interface Rotation {
  /** Bytes from which on the file is renamed; a batch of lines is never split. */
  readonly maxBytes: number;
  /** Renamed files that stay; 0 keeps all. Their names are kept in `.<name>.history` beside the file. */
  readonly keep: number;
}

/** A log file that is rotated by size, created with mode 600 (its folder too) by the first line. */
export function rotatingTarget(path: string, rotation: Rotation): LineTarget {
  return new RotatingTarget(path, rotation);
}

/** `2026-11-21T10-00-00.000`: sorts by time and has no colon, which some file systems refuse. */
function rotatedName(name: string, time: Date, index: number): string {
  const extension = extname(name);
  const stamp = time.toISOString().slice(0, -1).replaceAll(":", "-");
  return `${basename(name, extension)}-${stamp}${index > 1 ? `.${index}` : ""}${extension}`;
}

class RotatingTarget implements LineTarget {
  readonly #path: string;
  readonly #rotation: Rotation;
  #stream: RotatingFileStream | undefined;
  /** The batch in progress while the library has not handed it to the operating system. */
  #waiting = "";

  constructor(path: string, rotation: Rotation) {
    this.#path = path;
    this.#rotation = rotation;
  }

  async write(batch: string): Promise<void> {
    this.#waiting = batch;
    try {
      this.#stream ??= await this.#open();
      await this.#append(this.#stream, batch);
    } catch (error) {
      // A stream that failed once refuses everything: the next batch gets a new one.
      this.#stream = undefined;
      throw error;
    } finally {
      this.#waiting = "";
    }
  }

  #append(stream: RotatingFileStream, batch: string): Promise<void> {
    return new Promise((resolve, reject) => {
      // An open and idle stream begins to write inside this call.
      stream.write(batch, (error) => (error ? reject(error) : resolve()));
      this.#waiting = "";
    });
  }

  async #open(): Promise<RotatingFileStream> {
    const name = basename(this.#path);
    // The library tries for ever to make a folder that cannot be made.
    makeFolder(dirname(this.#path));
    // Loaded only where the log goes to a file: it takes 5 MiB.
    const { createStream } = await import("rotating-file-stream");
    const stream = createStream(
      (time, index) => (time instanceof Date ? rotatedName(name, time, index ?? 1) : name),
      {
        path: dirname(this.#path),
        size: `${Math.max(1, Math.floor(this.#rotation.maxBytes))}B`,
        mode: FILE_MODE,
        ...(this.#rotation.keep > 0 ? { maxFiles: this.#rotation.keep, history: `.${name}.history` } : {}),
      },
    );
    // `once` rejects on an error before; an error after it also comes back through the callback of `write`.
    const opened = once(stream, "open");
    stream.on("error", () => {});
    await opened;
    // The library says "open" a few steps before it writes without waiting.
    await nextTurn();
    return stream;
  }

  writeSync(text: string): void {
    const all = this.#waiting + text;
    if (all === "") return;
    makeFolder(dirname(this.#path));
    appendFileSync(this.#path, all, { mode: FILE_MODE });
  }

  async reopen(): Promise<void> {
    await this.close();
    this.#stream = await this.#open();
  }

  async close(): Promise<void> {
    const stream = this.#stream;
    if (stream === undefined) return;
    this.#stream = undefined;
    if (stream.destroyed) return;
    const closed = once(stream, "close");
    stream.end();
    await closed;
  }
}
