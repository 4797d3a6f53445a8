/** Disks of their own, which a test can fill. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A disk of its own to fill. */
export function mountRoom(folder: string, size: string): void {
  execFileSync("mount", ["-t", "tmpfs", "-o", size, "tmpfs", folder], { stdio: "ignore" });
}

/** Only root may, and not in every container. */
export function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "mount-"));
  try {
    mountRoom(folder, "size=1m");
    execFileSync("umount", [folder]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
