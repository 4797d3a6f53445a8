/**
 * A note beside the data file about how it was when its store was closed. A file that nobody touched since is not read page by
 * page at the next start: of a million users that is a gigabyte.
 */

import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { DATA_FILE } from "./data-file.ts";

/** Name of the note in the folder of the store. */
export const CLOSED_FILE = "closed";

/**
 * Milliseconds after the last change of a file before its times are noted. File systems give all changes of one tick of their
 * clock, of some milliseconds, the same time: a change after the note could not be told from those before it.
 */
const TICK_MS = 20;

/**
 * Writes the note of a store whose database was closed. Without a note, as on a full disk, the next start reads all pages.
 * @param folder the store's own folder, which this process still has locked
 */
export async function noteClosed(folder: string): Promise<void> {
  try {
    const sinceChange = Date.now() - statSync(join(folder, DATA_FILE)).ctimeMs;
    // A clock that was set back tells nothing of ticks.
    if (sinceChange < 0) return;
    if (sinceChange < TICK_MS) await delay(TICK_MS - sinceChange);
    writeFileSync(join(folder, CLOSED_FILE), stateOfFile(folder), { mode: 0o600 });
  } catch {
    forgetClosed(folder);
  }
}

/** True if nobody touched the data file since its store was closed. */
export function isAsClosed(folder: string): boolean {
  try {
    return readFileSync(join(folder, CLOSED_FILE), "utf8") === stateOfFile(folder);
  } catch {
    return false;
  }
}

/** Removes the note, before the store is written. */
export function forgetClosed(folder: string): void {
  rmSync(join(folder, CLOSED_FILE), { force: true });
}

/** The number, length and times of the file: nobody can write to it, or put another in its place, and keep all of them. */
function stateOfFile(folder: string): string {
  const { ino, size, mtimeNs, ctimeNs } = statSync(join(folder, DATA_FILE), { bigint: true });
  return `${JSON.stringify({ format: 1, file: [ino, size, mtimeNs, ctimeNs].map(String) })}\n`;
}
