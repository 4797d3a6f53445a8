/** A copy of a log that goes with the process: in a folder of its own among the temporary ones of the machine. */

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AuthorizerError, messageOf } from "@svc-authorizer/policy/errors.ts";
import type { Replica } from "../replica.ts";
import { lockFolder } from "./folder-lock.ts";
import { openLocalReplica } from "./open-replica.ts";

const PREFIX = "svc-authorizer-replica-";

/**
 * Opens an empty copy, and removes those that processes left which were killed.
 * @throws AuthorizerError "unavailable" where there is no room for temporary files
 */
export async function openPrivateReplica(): Promise<Replica> {
  const folder = makeFolder();
  removeLeftBehind(folder);
  const replica = await openLocalReplica({ path: folder });
  const { close } = replica;
  replica.close = async () => {
    await close.call(replica);
    rmSync(folder, { recursive: true, force: true });
  };
  return replica;
}

function makeFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  } catch (cause) {
    const reason = messageOf(cause);
    const message = `There is no room for this node's copy of the directory in ${tmpdir()}: ${reason}. Name a folder in authorizer.replication.path, or mem`;
    throw new AuthorizerError("unavailable", message, { cause });
  }
}

/** Tidies up after killed processes; what cannot be removed stays. */
function removeLeftBehind(own: string): void {
  for (const name of readdirSync(tmpdir())) {
    const folder = join(tmpdir(), name);
    const pid = Number(/^svc-authorizer-replica-(\d+)-/.exec(name)?.[1]);
    if (Number.isNaN(pid) || folder === own || isAlive(pid)) continue;
    try {
      // Of another container with the same folder, whose processes have other numbers, the lock is held.
      lockFolder(folder).release();
      rmSync(folder, { recursive: true, force: true });
    } catch {}
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
