/** Copies that another one has replaced since the log went back: the newest of them are kept (spec/journal §3). */

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Name of the file that says of a copy that it was replaced, and must not be removed as one that was left behind. */
const REPLACED_FILE = "replaced.json";
const MOST_KEPT = 2;

/** Marks a copy: it stays for a person who wants it back. */
export function markReplaced(folder: string, at = new Date().toISOString()): void {
  writeFileSync(join(folder, REPLACED_FILE), JSON.stringify({ at }), { mode: 0o600 });
}

/** True for a copy that was marked. */
export function isReplaced(folder: string): boolean {
  return existsSync(join(folder, REPLACED_FILE));
}

/** Folders of the copies in a folder that were marked, the newest first. */
export function replacedCopies(path: string): readonly string[] {
  return readdirSync(path)
    .filter((name) => name.startsWith("copy-") && isReplaced(join(path, name)))
    .map((name) => ({ folder: join(path, name), at: replacedAt(join(path, name)) }))
    .sort((a, b) => (a.at < b.at ? 1 : -1))
    .map(({ folder }) => folder);
}

/** Removes the oldest marked copies of a folder: the newest two stay. */
export function removeOldReplaced(path: string): void {
  for (const folder of replacedCopies(path).slice(MOST_KEPT))
    rmSync(folder, { recursive: true, force: true });
}

function replacedAt(folder: string): string {
  try {
    return String(
      (JSON.parse(readFileSync(join(folder, REPLACED_FILE), "utf8")) as { at?: unknown }).at ?? "",
    );
  } catch {
    return "";
  }
}
