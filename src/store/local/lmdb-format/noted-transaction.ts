/**
 * The number of the newest transaction, as LMDB notes it in the file of its readers. Each process that opens the data file
 * writes it there anew, and may write one that another process has meanwhile overtaken (OpenLDAP's ITS#9496): the next
 * transaction would then begin from the state before, and lose what was committed.
 */

import { closeSync, openSync, readSync, realpathSync, writeSync } from "node:fs";
import { join } from "node:path";
import { newestState } from "./newest-state.ts";

const DATA_FILE = "data.mdb";
const READERS_FILE = "lock.mdb";
const MAGIC = 0xbeefc0de;
/** Place of the number, and its length. */
const NOTED_AT = 8;
const NOTED_BYTES = 8;
/** LMDB opens a data file without that of the readers then. */
const UNWRITABLE = new Set(["EACCES", "EROFS", "ENOENT"]);
/** Times that it is written while another process commits. */
const MOST_REPAIRS = 1_000;

/** The two files, open. */
interface OpenFiles {
  readonly data: number;
  readonly readers: number;
  uses: number;
}

/**
 * By folder: whoever closes the file of the readers gives up LMDB's own locks on it, which the system keeps for the whole
 * process. It is closed when the last database of the folder is.
 */
const open = new Map<string, OpenFiles>();

/** The number as it is noted, and as the data file has it. */
export class NotedTransaction {
  readonly #folder: string;
  readonly #files: OpenFiles;
  #isClosed = false;

  private constructor(folder: string, files: OpenFiles) {
    this.#folder = folder;
    this.#files = files;
  }

  /** That of a folder in which LMDB has opened a database; undefined where the file of the readers cannot be written. */
  static of(folder: string): NotedTransaction | undefined {
    const path = realpathSync(folder);
    const files = open.get(path) ?? openFiles(path);
    if (files === undefined) return undefined;
    files.uses += 1;
    open.set(path, files);
    return new NotedTransaction(path, files);
  }

  /** The newest transaction of the data file. */
  newest(): number {
    return Number(newestState(this.#files.data).transaction);
  }

  /** Notes the newest transaction; false where it was noted already. @throws Error where that does not last */
  repair(): boolean {
    const { readers } = this.#files;
    const bytes = Buffer.alloc(NOTED_AT + NOTED_BYTES);
    for (let repairs = 0; repairs < MOST_REPAIRS; repairs++) {
      const newest = BigInt(this.newest());
      readSync(readers, bytes, 0, bytes.length, 0);
      if (bytes.readUInt32LE(0) !== MAGIC) throw new Error(`${READERS_FILE} is none of LMDB's`);
      if (bytes.readBigUInt64LE(NOTED_AT) >= newest) return repairs > 0;
      bytes.writeBigUInt64LE(newest, NOTED_AT);
      writeSync(readers, bytes, NOTED_AT, NOTED_BYTES, NOTED_AT);
    }
    throw new Error(`${READERS_FILE} is written by others all the time`);
  }

  /** To be called when the database is closed. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#files.uses -= 1;
    if (this.#files.uses > 0) return;
    open.delete(this.#folder);
    closeSync(this.#files.data);
    closeSync(this.#files.readers);
  }
}

function openFiles(folder: string): OpenFiles | undefined {
  const data = openSync(join(folder, DATA_FILE), "r");
  try {
    return { data, readers: openSync(join(folder, READERS_FILE), "r+"), uses: 0 };
  } catch (error) {
    closeSync(data);
    if (UNWRITABLE.has((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}
