/** Removes a local store whole. */

import { closeSync, existsSync, fsyncSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AuthorizerError, messageOf } from "@svc-authorizer/policy/errors.ts";
import { forgetClosed } from "./closed-note.ts";
import { DATA_FILE, READERS_FILE } from "./data-file.ts";
import { lockFolder } from "./folder-lock.ts";

/** True when a folder has a local store. */
export function hasLocalStore(folder: string): boolean {
  return existsSync(join(folder, DATA_FILE));
}

/**
 * Removes the store in a folder, which need not be readable. All its records are in one file, so that a crash leaves
 * everything or nothing. Throws AuthorizerError "unavailable" when the store is in use or cannot be removed.
 */
export function removeLocalStore(folder: string): void {
  if (!hasLocalStore(folder)) return;
  const lock = lockFolder(folder);
  try {
    forgetClosed(folder);
    // Last: without it, the other file would be taken for that of a store which lost its data.
    rmSync(join(folder, READERS_FILE), { force: true });
    rmSync(join(folder, DATA_FILE));
    const handle = openSync(folder, "r");
    fsyncSync(handle);
    closeSync(handle);
  } catch (cause) {
    const reason = messageOf(cause);
    throw new AuthorizerError("unavailable", `The store folder ${folder} cannot be emptied: ${reason}`, {
      cause,
    });
  } finally {
    lock.release();
  }
}
