/** Writes files that only their owner may read. */

import { randomUUID } from "node:crypto";
import { realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolder } from "../make-folder.ts";
import { openFault } from "./settings-file.ts";

/** Only the owner may read and write. */
const OWNER_ONLY = 0o600;

/**
 * Writes a file in place of another one: atomically, and with mode 600 from its first byte, whatever mode that had. A
 * symbolic link is kept: the file that it points to is replaced.
 * @throws Error that names the file
 */
export function writeOwnerOnly(path: string, text: string): void {
  const target = targetOf(path);
  const draft = `${target}.${randomUUID()}`;
  try {
    makeFolder(dirname(target));
    writeFileSync(draft, text, { mode: OWNER_ONLY, flag: "wx" });
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new Error(openFault(path, error), { cause: error });
  }
}

function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // The file does not exist yet.
    return path;
  }
}
