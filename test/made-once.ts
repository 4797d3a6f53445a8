/** Makes once in a run whatever several test files need: packages to install, the data of a new cluster. */

import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PAUSE_MS = 100;
/** Two files may try before this one does, each within its own limit. */
const LONGEST_WAIT_MS = 400_000;

/** Called once before the tests; returns what is called after them. */
export default function shareFolder(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "made-once-"));
  // The user of a database server reads the data of a new cluster here.
  chmodSync(folder, 0o711);
  process.env["MADE_ONCE"] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

/**
 * The folder with what is made once.
 * @param name the same in each file
 * @param make makes the folder and fills it
 */
export function madeOnce(name: string, make: (folder: string) => void): string {
  // A program of its own, such as a bench, shares with nobody.
  if (process.env["MADE_ONCE"] === undefined) process.once("exit", shareFolder());
  const folder = join(process.env["MADE_ONCE"] as string, name);
  const lock = `${folder}.lock`;
  const complete = `${folder}.complete`;
  const last = performance.now() + LONGEST_WAIT_MS;
  while (!existsSync(complete)) {
    try {
      mkdirSync(lock);
    } catch {
      if (performance.now() > last) throw new Error(`nobody has made ${name}`);
      // Whoever makes it does not let others run, either.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
      continue;
    }
    try {
      if (existsSync(complete)) break;
      make(folder);
      writeFileSync(complete, "");
    } finally {
      rmdirSync(lock);
    }
  }
  return folder;
}
