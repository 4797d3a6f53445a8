/**
 * Records the address of a running quick start in its folder: it takes the next free port if one is busy, so no
 * configuration has it.
 */

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FILE = "user-url";

/** Notes the URL of the user listener. A folder that cannot be written only means that people have to name it. */
export function noteUserUrl(folder: string, url: string): void {
  try {
    writeFileSync(join(folder, FILE), `${url}\n`, { mode: 0o600 });
  } catch {
    // The ready line has it too.
  }
}

/** The URL that was noted; undefined where nothing runs, or where it cannot be read. */
export function notedUserUrl(folder: string): string | undefined {
  try {
    const url = readFileSync(join(folder, FILE), "utf8").trim();
    return URL.canParse(url) ? url : undefined;
  } catch {
    return undefined;
  }
}

/** Removes the note when the service stops. A note that stays behind only names a port where nothing answers. */
export function forgetUserUrl(folder: string): void {
  try {
    rmSync(join(folder, FILE), { force: true });
  } catch {
    // Nothing may keep a service from stopping in order.
  }
}
