/**
 * Checks LMDB's data file before LMDB opens it. The library may crash the process if opening fails, and the operating
 * system ends the process (SIGBUS) if it reads pages beyond the end of a truncated file.
 */

import { accessSync, closeSync, constants, existsSync, openSync, readSync, statSync } from "node:fs";
import { open as openFile } from "node:fs/promises";
import { join } from "node:path";
import { type DataTrees, hasAllPages } from "./data-pages.ts";

/** Names of LMDB's files in the folder. */
export const DATA_FILE = "data.mdb";
export const READERS_FILE = "lock.mdb";

/** The header of a data file. */
export interface DataFile {
  /** No store yet: missing, or left empty by a process that was killed while creating it. */
  readonly isNew: boolean;
  /** It ends before a page that is in use. */
  readonly isCut: boolean;
}

/** Length of the part of a page that describes the whole file. */
const META_BYTES = 160;
const PAGE_IS_META = 0x08;
const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;

/** Reads and checks the beginning of the data file. Throws Error, with the reason, when LMDB could not use it. */
export function inspectDataFile(folder: string, readOnly: boolean): DataFile {
  const access = readOnly ? constants.R_OK : constants.R_OK | constants.W_OK;
  for (const name of [DATA_FILE, READERS_FILE]) {
    const path = join(folder, name);
    if (existsSync(path)) accessSync(path, access);
  }
  accessSync(folder, access | constants.X_OK);
  const file = join(folder, DATA_FILE);
  const size = existsSync(file) ? statSync(file).size : 0;
  if (size === 0) return { isNew: true, isCut: false };
  const handle = openSync(file, "r");
  try {
    const first = readMeta(handle, 0);
    const second = readMeta(handle, first.pageSize);
    const newest = second.transaction > first.transaction ? second : first;
    const isShort = size < Number(newest.lastPage + 1n) * first.pageSize;
    return { isNew: false, isCut: isShort && !hasAllPages(handle, size, newest) };
  } finally {
    closeSync(handle);
  }
}

/** Writes to the disk what the operating system still holds of the data file. */
export async function flushDataFile(folder: string): Promise<void> {
  const handle = await openFile(join(folder, DATA_FILE), "r+");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A state as a meta page has it. */
interface MetaPage extends DataTrees {
  readonly lastPage: bigint;
  readonly transaction: bigint;
}

function readMeta(handle: number, offset: number): MetaPage {
  const bytes = Buffer.alloc(META_BYTES);
  if (readSync(handle, bytes, 0, META_BYTES, offset) < META_BYTES)
    throw new Error(`${DATA_FILE} was cut short`);
  const isMeta = (bytes.readUInt16LE(18) & PAGE_IS_META) !== 0 && bytes.readUInt32LE(24) === MAGIC;
  if (!isMeta) throw new Error(`${DATA_FILE} is no LMDB data file`);
  const version = bytes.readUInt32LE(28) & 0xffff;
  if (version !== DATA_VERSION) throw new Error(`${DATA_FILE} has LMDB's data version ${version}`);
  const pageSize = bytes.readUInt32LE(48);
  if (![512, 1024, 2048, 4096, 8192, 16384, 32768, 65536].includes(pageSize)) {
    throw new Error(`${DATA_FILE} has pages of ${pageSize} bytes`);
  }
  const [free, records, lastPage, transaction] = [88, 136, 144, 152].map((at) => bytes.readBigUInt64LE(at));
  return { pageSize, roots: [free!, records!], lastPage: lastPage!, transaction: transaction! };
}
