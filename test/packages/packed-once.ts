/** Packages that several test files of a run install are packed by the first of them. */

import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PAUSE_MS = 100;
/** Two files may pack before this one does, each within its own limit. */
const LONGEST_WAIT_MS = 400_000;

/** Called once before the tests; returns what is called after them. */
export default function sharePackages(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "packed-once-"));
  process.env["PACKED_ONCE"] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

/**
 * The folder with the tarballs of a set of packages.
 * @param name of the set, the same in each file
 * @param pack fills a folder, which it makes
 */
export function packedOnce(name: string, pack: (folder: string) => void): string {
  const folder = join(process.env["PACKED_ONCE"] as string, name);
  const lock = `${folder}.lock`;
  const complete = `${folder}.complete`;
  const last = performance.now() + LONGEST_WAIT_MS;
  while (!existsSync(complete)) {
    try {
      mkdirSync(lock);
    } catch {
      if (performance.now() > last) throw new Error(`nobody has packed ${name}`);
      // Packing does not let others run, either.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
      continue;
    }
    try {
      if (existsSync(complete)) break;
      pack(folder);
      writeFileSync(complete, "");
    } finally {
      rmdirSync(lock);
    }
  }
  return folder;
}
