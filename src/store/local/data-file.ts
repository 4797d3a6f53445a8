/**
 * Checks LMDB's data file before LMDB opens it. The library ends the process by a signal where opening fails, where a
 * page is not what it expects, and where the file was cut.
 */

import { accessSync, closeSync, constants, existsSync, openSync, statSync } from "node:fs";
import { open as openFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "@svc-authorizer/policy/errors.ts";
import { assertWholePages } from "./lmdb-format/data-pages.ts";
import { newestState } from "./lmdb-format/newest-state.ts";

/** Names of LMDB's files in the folder. */
export const DATA_FILE = "data.mdb";
export const READERS_FILE = "lock.mdb";

/** The file that is there while a store is made. */
export const MAKING_FILE = "making";

/**
 * Reads and checks the data file, page by page. Returns false where there is no store yet: the folder never had one, or
 * a process was killed while it made one.
 * @param readsPages false: only looks whether the files are there and may be used
 * @throws Error, with the reason, when LMDB could not use the file
 */
export function inspectDataFile(folder: string, readOnly: boolean, readsPages = true): boolean {
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
  if (!readsPages) return true;
  const handle = openSync(file, "r");
  try {
    assertWholePages(handle, size, newestState(handle));
    return true;
  } catch (error) {
    const reason = messageOf(error);
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

/** Writes to the disk what the operating system still holds of the data file. */
export async function flushDataFile(folder: string): Promise<void> {
  const handle = await openFile(join(folder, DATA_FILE), "r+");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
