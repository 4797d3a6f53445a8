/** A file of lines that is written anew while lines are appended to it, in turns with other work. */

import { appendFileSync, renameSync } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { Turns } from "../../schedule/turns.ts";

/** Lines that are made and written at once: a few milliseconds. */
const AT_ONCE = 500;
/** Characters that are written and not awaited: as long as they are added without an end, there are always some. */
const FEW_CHARACTERS = 256 * 1024;

/** Writes the new file beside the old one, which counts until the new one is whole. */
export class FileRewrite {
  readonly #path: string;
  readonly #next: string;
  #file: FileHandle | undefined;
  /** Lines that belong behind those that are written. */
  #added: string[] = [];
  #addedCharacters = 0;
  #bytes = 0;

  /** @param path of the file */
  constructor(path: string) {
    this.#path = path;
    this.#next = `${path}.new`;
  }

  /** Adds whole lines behind those that are written: what is appended to the old file meanwhile. */
  add(lines: string): void {
    this.#added.push(lines);
    this.#addedCharacters += lines.length;
  }

  /** Writes the lines of many things. */
  async write<T>(things: readonly T[], lineOf: (thing: T) => string): Promise<void> {
    const file = await this.#opened();
    const turns = new Turns();
    for (let start = 0; start < things.length; start += AT_ONCE) {
      if (turns.spent) await turns.yield();
      const lines = things.slice(start, start + AT_ONCE).map((thing) => `${lineOf(thing)}\n`);
      await this.#append(file, lines.join(""));
    }
  }

  /**
   * Puts the new file in the place of the old one; returns its bytes. A power loss leaves the one or the other, and takes at
   * most lines that were added last.
   */
  async replace(): Promise<number> {
    const file = await this.#opened();
    try {
      while (this.#addedCharacters > FEW_CHARACTERS) await this.#append(file, this.#takeAdded());
      await file.sync();
    } finally {
      await this.#close();
    }
    // From here on nothing is awaited: no line is added between the last one and the name.
    const last = this.#takeAdded();
    appendFileSync(this.#next, last);
    this.#bytes += Buffer.byteLength(last);
    renameSync(this.#next, this.#path);
    return this.#bytes;
  }

  /** Takes away what was written, where the new file is not to be: the old one goes on. */
  async discard(): Promise<void> {
    await this.#close();
    await rm(this.#next, { force: true }).catch(() => {});
  }

  async #opened(): Promise<FileHandle> {
    if (this.#file === undefined) {
      await rm(this.#next, { force: true });
      this.#file = await open(this.#next, "w", 0o600);
    }
    return this.#file;
  }

  async #append(file: FileHandle, text: string): Promise<void> {
    const bytes = Buffer.from(text);
    await file.writeFile(bytes);
    this.#bytes += bytes.length;
  }

  #takeAdded(): string {
    const text = this.#added.join("");
    this.#added = [];
    this.#addedCharacters = 0;
    return text;
  }

  async #close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }
}
