/** Bytes of which some MiB are in memory, and all that come later in a file that nobody else sees. */

import { randomBytes } from "node:crypto";
import { closeSync, openSync, readdirSync, readSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { AuthorizerError, messageOf } from "@svc-authorizer/policy/errors.ts";

/** Bytes that are kept in memory where there is a folder. */
const MOST_IN_MEMORY = 4 * 2 ** 20;
/** Bytes that are written at once. */
const BLOCK = 64 * 1024;
/** Names of the files, as long as they have one. */
const PREFIX = "svc-authorizer-overflow-";

/**
 * Bytes that are added at the end and read anywhere. The file has no name once it is open, so that it goes with the process
 * however that ends. What is secret has to be sealed: the file is as readable as the disk.
 */
export class Overflow {
  readonly #folder: string | undefined;
  readonly #mostBlocks: number;
  /** The first blocks. */
  readonly #blocks: Uint8Array[] = [];
  /** The last block, which is not full. */
  #last: Uint8Array | undefined;
  #length = 0;
  #file: number | undefined;

  /** @param folder where the file is made, with the first byte that needs it; undefined: everything stays in memory */
  constructor(folder?: string, mostInMemory = MOST_IN_MEMORY) {
    this.#folder = folder;
    this.#mostBlocks = folder === undefined ? Number.POSITIVE_INFINITY : Math.ceil(mostInMemory / BLOCK);
  }

  /**
   * Adds bytes; returns their place.
   * @throws AuthorizerError "unavailable" where the file cannot be made or written
   */
  put(bytes: Uint8Array): number {
    const place = this.#length;
    for (let done = 0; done < bytes.length; ) {
      const from = this.#length % BLOCK;
      const part = bytes.subarray(done, done + BLOCK - from);
      this.#last ??= new Uint8Array(BLOCK);
      this.#last.set(part, from);
      if (from + part.length === BLOCK) this.#endBlock(this.#last);
      this.#length += part.length;
      done += part.length;
    }
    return place;
  }

  /**
   * Reads bytes that were added.
   * @throws AuthorizerError "unavailable" where the file cannot be read
   */
  get(place: number, length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    for (let done = 0; done < length; ) {
      const number = Math.floor((place + done) / BLOCK);
      const from = (place + done) % BLOCK;
      const to = Math.min(BLOCK, from + length - done);
      const block = number * BLOCK + BLOCK > this.#length ? this.#last : this.#blocks[number];
      if (block === undefined) this.#read(bytes.subarray(done, done + to - from), place + done);
      else bytes.set(block.subarray(from, to), done);
      done += to - from;
    }
    return bytes;
  }

  /** Gives the memory and the file back: nothing can be read any more. Calling it twice is harmless. */
  close(): void {
    this.#blocks.length = 0;
    this.#last = undefined;
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #endBlock(block: Uint8Array): void {
    const number = Math.floor(this.#length / BLOCK);
    if (number < this.#mostBlocks) {
      this.#blocks.push(block);
      this.#last = undefined;
      return;
    }
    this.#using("written", (file) => {
      for (let done = 0; done < BLOCK; )
        done += writeSync(file, block, done, BLOCK - done, this.#inFile(number * BLOCK) + done);
    });
  }

  #read(into: Uint8Array, place: number): void {
    this.#using("read", (file) => {
      const read = readSync(file, into, 0, into.length, this.#inFile(place));
      if (read !== into.length) throw new Error("it is too short");
    });
  }

  /** The place in the file, which begins with what is not in memory. */
  #inFile(place: number): number {
    return place - this.#mostBlocks * BLOCK;
  }

  #using(how: string, action: (file: number) => void): void {
    const folder = this.#folder!;
    try {
      this.#file ??= openUnnamed(folder);
      action(this.#file);
    } catch (cause) {
      const reason = messageOf(cause);
      const message = `the file for what has no room in memory cannot be ${how} in ${folder}: ${reason}`;
      throw new AuthorizerError("unavailable", message, { cause });
    }
  }
}

function openUnnamed(folder: string): number {
  removeLeftBehind(folder);
  const path = join(folder, `${PREFIX}${process.pid}-${randomBytes(8).toString("hex")}`);
  const file = openSync(path, "wx+", 0o600);
  rmSync(path, { force: true });
  return file;
}

/** Removes the empty files of processes that were killed before theirs had no name any more. */
function removeLeftBehind(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(PREFIX)) continue;
    try {
      rmSync(join(folder, name));
    } catch {
      // Of another user, or gone by now.
    }
  }
}
