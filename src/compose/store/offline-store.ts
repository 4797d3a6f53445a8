/** The configured store without a service around it: for commands that look after it. */

import { accessSync, constants, rmSync } from "node:fs";
import { basename } from "node:path";
import { AuthorizerError, isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { auditingUnknown } from "../../api/rest/unknown-outcome.ts";
import type { ConfigValues } from "../../config/table.ts";
import { createAuditLog } from "../../observe/log/audit-log.ts";
import type { AuditEventKind, AuditEvents } from "../../observe/log/audit-port.ts";
import { forgetClosed } from "../../store/local/closed-note.ts";
import { lockFolder } from "../../store/local/folder-lock.ts";
import { hasLocalStore, removeLocalStore } from "../../store/local/remove-store.ts";
import { type Store, withSnapshot } from "../../store/port.ts";
import { adminFileOf } from "../bootstrap.ts";
import { type DataParts, openData, openLog } from "../data.ts";
import { IN_MEMORY, localFolder, openStore, revocationPath } from "./backends.ts";

function quietLog(values: ConfigValues) {
  return openLog({ ...values, "logging.output": ["="], "logging.level": "WARN" });
}

/** In a temporary folder: that of the configuration belongs to the service, which may be running. `mem` stays. */
function withOwnCopy(values: ConfigValues): ConfigValues {
  const path = values["authorizer.replication.path"];
  const isInMemory = path !== undefined && basename(path) === IN_MEMORY;
  return { ...values, "authorizer.replication.path": isInMemory ? path : undefined };
}

/**
 * Opens the configured directory for a command; {@link DataParts.close} closes it. On a shared database the service may
 * be running.
 * @throws AuthorizerError as {@link openData}
 */
export function openOfflineData(values: ConfigValues, keepSessions = false): Promise<DataParts> {
  return openData(withOwnCopy(values), quietLog(values), { keepSessions });
}

/** As {@link openOfflineData}, to read only: a local store is also read while the service runs. */
export async function openOfflineDataToRead(values: ConfigValues): Promise<DataParts> {
  const folder = values["database.type"] === "local" ? localFolder(values) : undefined;
  if (folder === undefined || !hasLocalStore(folder) || !isInUse(folder)) return openOfflineData(values);
  const { openLocalStoreInUse } = await import("../../store/local/local-store.ts");
  const store = await openLocalStoreInUse(folder);
  return openData(values, quietLog(values), {
    open: async () => ({ store, memory: undefined }),
    upkeep: false,
  });
}

/**
 * Opens a node's copy in a folder to read it: without a database, and while the node runs.
 * @throws AuthorizerError "invalid_request" where there is none, "unavailable" where it cannot be read
 */
export async function openCopyData(values: ConfigValues, folder: string): Promise<DataParts> {
  const { openCopyStore } = await import("../../store/local/copy-store.ts");
  return openData(values, quietLog(values), {
    open: async () => ({ store: openCopyStore(folder), memory: undefined }),
    upkeep: false,
  });
}

/** Runs `work` on such a copy. */
export async function withCopyToRead<T>(folder: string, work: (store: Store) => Promise<T>): Promise<T> {
  const { openCopyStore } = await import("../../store/local/copy-store.ts");
  const store = openCopyStore(folder);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/**
 * As {@link openOfflineData}, after a look at the store alone. Resolves with the directory and what `look` found. Where
 * `look` throws, nothing was written: the first opening of a directory records secret key and partition for good.
 */
export async function openOfflineDataAfter<T>(
  values: ConfigValues,
  look: (store: Store) => Promise<T>,
): Promise<{ readonly data: DataParts; readonly found: T }> {
  const ownValues = withOwnCopy(values);
  const logger = quietLog(values);
  const opened = await openStore(ownValues, logger);
  let found: T;
  try {
    found = await look(opened.store);
  } catch (error) {
    await opened.store.close();
    await logger.close();
    throw error;
  }
  return { data: await openData(ownValues, logger, { open: async () => opened }), found };
}

function assertDurable(values: ConfigValues): void {
  if (values["database.type"] !== "mem") return;
  const message = "database.type mem keeps nothing beyond the process: there is no store to look after";
  throw new AuthorizerError("invalid_request", message);
}

/**
 * Runs `work` on the configured store and closes it; the service of a local store must not be running.
 * @throws AuthorizerError "unavailable" when the store is in use or unreadable, "invalid_request" when there is none
 */
export async function withOfflineStore<T>(
  values: ConfigValues,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  assertDurable(values);
  if (values["database.type"] === "local" && !hasLocalStore(localFolder(values))) {
    throw new AuthorizerError("invalid_request", `there is no store in ${localFolder(values)}`);
  }
  const logger = quietLog(values);
  try {
    // Who looks after a store reads all of it: a disk may have lost a page since the store was closed.
    if (values["database.type"] === "local") forgetClosed(localFolder(values));
    const { store } = await openStore(withOwnCopy(values), logger);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  } finally {
    await logger.close();
  }
}

/**
 * As {@link withOfflineStore}, for work that only reads: a local store is also read while the service runs, and from a
 * folder that cannot be written, such as a backup on a read-only mount.
 */
export async function withOfflineStoreToRead<T>(
  values: ConfigValues,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const folder = values["database.type"] === "local" ? localFolder(values) : undefined;
  if (folder === undefined || !hasLocalStore(folder)) return withOfflineStore(values, work);
  const { openLocalStoreInUse, openLocalStoreReadOnly } = await import("../../store/local/local-store.ts");
  if (isWritable(folder) && !isInUse(folder)) return withOfflineStore(values, work);
  const store = await (isWritable(folder) ? openLocalStoreInUse(folder) : openLocalStoreReadOnly(folder));
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Newest revision of a store that another process may be writing to. */
export function newestRevision(store: Store): Promise<number> {
  return withSnapshot(store, async ({ revision }) => revision);
}

/** True while another process has the store of a folder open. */
function isInUse(folder: string): boolean {
  try {
    lockFolder(folder).release();
    return false;
  } catch (error) {
    if (error instanceof AuthorizerError && error.message.includes("is in use by")) return true;
    throw error;
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function assertLocal(values: ConfigValues): void {
  assertDurable(values);
  const type = values["database.type"];
  if (type === "local") return;
  const message = `database.type ${type} is shared by several nodes: stop them all and remove the tables svc_authorizer_… in the database`;
  throw new AuthorizerError("invalid_request", message);
}

/** Returns the place that {@link emptyStore} empties, for people; undefined if there is none. */
export function storePlace(values: ConfigValues): string | undefined {
  assertLocal(values);
  return hasLocalStore(localFolder(values)) ? localFolder(values) : undefined;
}

/** Throws AuthorizerError "unavailable", naming the holder, while another process has the local store open. */
export function assertNotInUse(values: ConfigValues): void {
  lockFolder(localFolder(values)).release();
}

/**
 * Empties the configured store, whatever state it is in, and removes the file with a generated administrator.
 * @throws AuthorizerError "unavailable" when it is in use
 */
export function emptyStore(values: ConfigValues): void {
  assertLocal(values);
  removeLocalStore(localFolder(values));
  rmSync(adminFileOf(values), { force: true });
  rmSync(revocationPath(values), { force: true });
}

/** Audits one event of a command as the service would. */
export function auditOnce(
  values: ConfigValues,
  kind: AuditEventKind,
  fields: Readonly<Record<string, unknown>>,
): Promise<void> {
  return withAudit(values, (audit) => audit.event(kind, { actor: "command line", ...fields }));
}

async function withAudit(values: ConfigValues, work: (audit: AuditEvents) => void): Promise<void> {
  const logger = quietLog(values);
  try {
    const audit = createAuditLog({ output: values["authorizer.audit.output"], decisions: "none", logger });
    work(audit);
    await audit.close();
  } finally {
    await logger.close();
  }
}

/**
 * Looks, before a command does something, whether that can be audited: else it would happen unaudited, and the secret of a
 * key that it makes would get lost with the failure.
 * @throws AuthorizerError "invalid_request"
 */
export async function assertAuditable(values: ConfigValues): Promise<void> {
  try {
    await withAudit(values, () => {});
  } catch (cause) {
    if (!isErrorCode(cause, "unavailable")) throw cause;
    throw new AuthorizerError("invalid_request", `${cause.message}; nothing was changed`, { cause });
  }
}

/**
 * Runs a write of a command, which audits it where it is committed; if the outcome is not known, that is audited.
 * @throws what the write throws, and before it as {@link assertAuditable}
 */
export async function auditingUnknownOnce<T>(
  values: ConfigValues,
  kind: AuditEventKind,
  fields: Readonly<Record<string, unknown>>,
  write: () => Promise<T>,
): Promise<T> {
  await assertAuditable(values);
  return auditingUnknown(write, (outcome) => auditOnce(values, kind, { ...fields, ...outcome }));
}
