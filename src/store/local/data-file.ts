/**
 * Checks LMDB's data file before LMDB opens it. The library ends the process by a signal where opening fails, where a
 * page is not what it expects, and where the file was cut.
 */

import { accessSync, closeSync, constants, existsSync, openSync, readSync, statSync } from "node:fs";
import { open as openFile } from "node:fs/promises";
import { join } from "node:path";
import { assertWholePages, type DataTree, type DataTrees, NO_PAGE } from "./data-pages.ts";

/** Names of LMDB's files in the folder. */
export const DATA_FILE = "data.mdb";
export const READERS_FILE = "lock.mdb";

/** The file that is there while a store is made. */
export const MAKING_FILE = "making";

/** Length of the part of a page that describes the whole file. */
const META_BYTES = 160;
const PAGE_IS_META = 0x08;
const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
/** Highest address that a map of the file may end at. */
const MAX_MAP_BYTES = 2n ** 46n;
/** Flags of the list of free pages: its keys are numbers. */
const KEYS_ARE_NUMBERS = 0x08;

/**
 * Reads and checks the data file, page by page. Returns false where there is no store yet: the folder never had one, or
 * a process was killed while it made one.
 * @throws Error, with the reason, when LMDB could not use the file
 */
export function inspectDataFile(folder: string, readOnly: boolean): boolean {
  const access = readOnly ? constants.R_OK : constants.R_OK | constants.W_OK;
  for (const name of [DATA_FILE, READERS_FILE]) {
    const path = join(folder, name);
    if (existsSync(path)) accessSync(path, access);
  }
  accessSync(folder, access | constants.X_OK);
  const file = join(folder, DATA_FILE);
  const isBeingMade = existsSync(join(folder, MAKING_FILE));
  const size = existsSync(file) ? statSync(file).size : undefined;
  if (size === undefined) {
    if (existsSync(join(folder, READERS_FILE)) && !isBeingMade) throw new Error(`${DATA_FILE} is missing`);
    return false;
  }
  // A process was killed before the first state was whole: nothing is lost.
  if (isBeingMade) return false;
  if (size === 0) throw new Error(`${DATA_FILE} is empty`);
  const handle = openSync(file, "r");
  try {
    assertWholePages(handle, size, newestState(handle));
    return true;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${DATA_FILE} was cut short, or its bytes changed: ${reason}`, { cause: error });
  } finally {
    closeSync(handle);
  }
}

/** Attempts to catch a state that is the newest when it is held. */
const MOST_ATTEMPTS = 100;

/**
 * Checks the newest state of a data file that another process writes to.
 * @param hold keeps the pages of the newest state until the end that it returns
 * @throws Error, with the reason, where a page is missing or damaged
 */
export function inspectStateInUse(folder: string, hold: () => { done(): void }): void {
  const file = join(folder, DATA_FILE);
  const handle = openSync(file, "r");
  try {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const before = newestState(handle);
      const held = hold();
      try {
        const state = newestState(handle);
        if (state.transaction !== before.transaction) continue;
        assertWholePages(handle, statSync(file).size, state);
        return;
      } finally {
        held.done();
      }
    }
    throw new Error(`${DATA_FILE} changes too fast to be checked`);
  } finally {
    closeSync(handle);
  }
}

/** Returns the newest state of a data file. @throws Error for a file that is none of LMDB's, or not whole */
function newestState(handle: number): DataTrees {
  const first = readMeta(handle, 0);
  const second = readMeta(handle, first.pageSize);
  // States take turns, so that one of them is always whole.
  const distance = second.transaction - first.transaction;
  const takeTurns = first.transaction % 2n === 0n && second.transaction % 2n === 1n;
  const follow = takeTurns && (distance === 1n || distance === -1n);
  // A new file, or a copy that LMDB made, has none before the newest.
  if (!follow && first.transaction !== 0n) throw new Error("its states do not follow each other");
  return distance > 0n ? second : first;
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

function readMeta(handle: number, offset: number): DataTrees {
  const bytes = Buffer.alloc(META_BYTES);
  if (readSync(handle, bytes, 0, META_BYTES, offset) < META_BYTES) throw new Error("it has no state");
  const isMeta = bytes.readUInt16LE(18) === PAGE_IS_META && bytes.readUInt32LE(24) === MAGIC;
  if (!isMeta) throw new Error("it is no file of LMDB");
  const version = bytes.readUInt32LE(28);
  if (version !== DATA_VERSION) throw new Error(`it has LMDB's data version ${version}`);
  const pageSize = bytes.readUInt32LE(48);
  if (![512, 1024, 2048, 4096, 8192, 16384, 32768, 65536].includes(pageSize) || pageSize < offset) {
    throw new Error(`it has pages of ${pageSize} bytes`);
  }
  const [mapBytes, lastPage, transaction] = [40, 144, 152].map((at) => bytes.readBigUInt64LE(at));
  const areFlags = bytes.readUInt16LE(52) === KEYS_ARE_NUMBERS && bytes.readUInt16LE(100) === 0;
  const fits = mapBytes! <= MAX_MAP_BYTES && lastPage! < MAX_MAP_BYTES / BigInt(pageSize);
  if (!areFlags || !fits || bytes.readUInt32LE(96) !== 0) throw new Error("its description is not LMDB's");
  const [free, records] = [readTree(bytes, 48), readTree(bytes, 96)];
  return { pageSize, free, records, lastPage: lastPage!, transaction: transaction! };
}

function readTree(bytes: Buffer, at: number): DataTree {
  const root = bytes.readBigUInt64LE(at + 40);
  const depth = bytes.readUInt16LE(at + 6);
  return { root, depth: root === NO_PAGE ? 0 : depth, entries: bytes.readBigUInt64LE(at + 32) };
}
