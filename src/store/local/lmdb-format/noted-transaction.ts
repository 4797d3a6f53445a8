/**
 * The number of the newest transaction, as LMDB notes it in the file of its readers. Each process that opens the data file
 * writes it there anew, and may write one that another process has meanwhile overtaken (OpenLDAP's ITS#9496): the next
 * transaction would then begin from the state before, and lose what was committed.
 */

import { closeSync, openSync, readSync, realpathSync, writeSync } from "node:fs";
import { MAGIC, newestState, TRANSACTION_AT } from "./newest-state.ts";

/** Place of the number, and its length. */
const NOTED_AT = 8;
const NUMBER_BYTES = 8;
/** LMDB opens a data file without that of the readers then. */
const UNWRITABLE = new Set(["EACCES", "EROFS", "ENOENT"]);
/** Times that it is written while another process commits. */
const MOST_REPAIRS = 1_000;

/** The two files, open. */
interface OpenFiles {
  readonly data: number;
  readonly readers: number;
  readonly pageSize: number;
  uses: number;
}

/**
 * By data file: whoever closes the file of the readers gives up LMDB's own locks on it, which the system keeps for the whole
 * process. It is closed when the last database of the data file is.
 */
const open = new Map<string, OpenFiles>();

/** The number as it is noted, and as the data file has it. */
export class NotedTransaction {
  readonly #path: string;
  readonly #files: OpenFiles;
  readonly #number = Buffer.alloc(NUMBER_BYTES);
  #isClosed = false;

  private constructor(path: string, files: OpenFiles) {
    this.#path = path;
    this.#files = files;
  }

  /** That of a data file that LMDB has opened; undefined where the file of its readers cannot be written. */
  static of(data: string, readers: string): NotedTransaction | undefined {
    const path = realpathSync(data);
    const files = open.get(path) ?? openFiles(data, readers);
    if (files === undefined) return undefined;
    files.uses += 1;
    open.set(path, files);
    return new NotedTransaction(path, files);
  }

  /** The newest transaction of the data file: each of its first two pages has the number of its state. */
  newest(): number {
    const { data, pageSize } = this.#files;
    return Math.max(this.#read(data, TRANSACTION_AT), this.#read(data, pageSize + TRANSACTION_AT));
  }

  /** Notes the newest transaction; false where it was noted already. @throws Error where that does not last */
  repair(): boolean {
    const { readers } = this.#files;
    for (let repairs = 0; repairs < MOST_REPAIRS; repairs++) {
      const newest = this.newest();
      if (this.#read(readers, NOTED_AT) >= newest) return repairs > 0;
      this.#number.writeBigUInt64LE(BigInt(newest));
      writeSync(readers, this.#number, 0, NUMBER_BYTES, NOTED_AT);
    }
    throw new Error("the file of the readers is written by others all the time");
  }

  #read(handle: number, at: number): number {
    if (readSync(handle, this.#number, 0, NUMBER_BYTES, at) < NUMBER_BYTES)
      throw new Error("it was cut short");
    return Number(this.#number.readBigUInt64LE());
  }

  /** To be called when the database is closed. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#files.uses -= 1;
    if (this.#files.uses > 0) return;
    open.delete(this.#path);
    closeSync(this.#files.data);
    closeSync(this.#files.readers);
  }
}

function openFiles(dataPath: string, readersPath: string): OpenFiles | undefined {
  const data = openSync(dataPath, "r");
  try {
    const { pageSize } = newestState(data);
    const readers = openSync(readersPath, "r+");
    assertOfLmdb(readers);
    return { data, readers, pageSize, uses: 0 };
  } catch (error) {
    closeSync(data);
    if (UNWRITABLE.has((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

/** Closes nothing: LMDB has locks on the file. */
function assertOfLmdb(readers: number): void {
  const magic = Buffer.alloc(4);
  readSync(readers, magic, 0, magic.length, 0);
  if (magic.readUInt32LE() !== MAGIC) throw new Error("the file of the readers is none of LMDB's");
}
