/** Opening of a node's copy in a folder: what an earlier process left, or an empty one (spec/journal §1). */

import { join } from "node:path";
import { makeFolder } from "@svc-authorizer/commands/make-folder.ts";
import { AuthorizerError, messageOf } from "@svc-authorizer/policy/errors.ts";
import type { KeptContact, Replica } from "../replica.ts";
import type { StoreLog } from "../store-log.ts";
import {
  hasStateFile,
  newCopyFolder,
  readBootId,
  readContactFile,
  readMachineId,
  readStateFile,
} from "./copy-file.ts";
import { lockFolder } from "./folder-lock.ts";
import { LocalReplica } from "./local-replica.ts";
import { openCopy, type ReplicaCopy } from "./replica-copy.ts";

/** Options of {@link openLocalReplica}. */
interface LocalReplicaOptions {
  /** The copy's own folder; created (mode 700) where missing, and kept at the end. */
  readonly path: string;
  readonly log?: StoreLog;
  /** Id of the machine's run; undefined where it is not known. Default Linux's. */
  readonly bootId?: string | undefined;
  /** Id of the machine; default Linux's, or its name. */
  readonly machineId?: string;
}

/**
 * Opens the copy in a folder; an empty one where there is none, or none that can be used.
 * @throws AuthorizerError "unavailable" when another process uses the folder, or it cannot be written
 */
export async function openLocalReplica(options: LocalReplicaOptions): Promise<Replica> {
  const { path, log } = options;
  const bootId = "bootId" in options ? options.bootId : readBootId();
  makeReplicaFolder(path);
  const lock = lockFolder(path);
  try {
    const found = await reopen(path, bootId, log);
    const copy = found ?? (await openCopy(newCopyFolder(path)));
    const contact = found && keptContact(path, bootId, options.machineId ?? readMachineId());
    const ids = { bootId: bootId ?? "", machineId: options.machineId ?? readMachineId() };
    const replica = new LocalReplica({ path, ...ids, copy, contact, finish: () => lock.release() });
    replica.keepOnly(copy.folder);
    return replica;
  } catch (error) {
    lock.release();
    throw error;
  }
}

function makeReplicaFolder(path: string): void {
  try {
    makeFolder(path, 0o700);
  } catch (cause) {
    const reason = messageOf(cause);
    const message = `The folder ${path} (authorizer.replication.path) cannot be created: ${reason}`;
    throw new AuthorizerError("unavailable", message, { cause });
  }
}

/** Returns the copy that was left; undefined where it cannot be trusted. */
async function reopen(
  path: string,
  bootId: string | undefined,
  log: StoreLog | undefined,
): Promise<ReplicaCopy | undefined> {
  if (!hasStateFile(path)) return undefined;
  try {
    const state = readStateFile(path);
    if (!state.clean && (bootId === undefined || state.boot !== bootId)) {
      log?.info({ path }, "the copy was not closed before the machine went down: it is made anew");
      return undefined;
    }
    return await openCopy(join(path, state.copy));
  } catch (err) {
    log?.error({ err, path }, "the copy of the directory is damaged: it is made anew");
    return undefined;
  }
}

/** Of another run there is only a copy that was closed and flushed: {@link reopen} takes no other. */
function keptContact(path: string, bootId: string | undefined, machineId: string): KeptContact | undefined {
  const noted = readContactFile(path);
  if (noted === undefined || noted.machine !== machineId) return undefined;
  return { ...noted, isSameRun: bootId !== undefined && noted.boot === bootId };
}
