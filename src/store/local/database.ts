/** The LMDB database below the local store: its folder, its options, its errors in the words of this service. */

import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder } from "@svc-authorizer/commands/make-folder.ts";
import { AuthorizerError, messageOf } from "@svc-authorizer/policy/errors.ts";
import { open } from "lmdb";
import { CLOSED_FILE, forgetClosed, isAsClosed } from "./closed-note.ts";
import { keepCommitted, repairNewest, writeAfterCommitted } from "./committed-states.ts";
import {
  DATA_FILE,
  flushDataFile,
  inspectDataFile,
  inspectStateInUse,
  MAKING_FILE,
  READERS_FILE,
} from "./data-file.ts";
import { HOLDER_FILE, LOCK_FILE } from "./folder-lock.ts";
import { decodeRecord, encodeValue, type ReadRecord, type VersionedValue } from "./layout.ts";
import type { LocalDatabase } from "./local-database.ts";

/** Found beside a store, or in a folder that is as good as empty. */
const HARMLESS = new Set([LOCK_FILE, HOLDER_FILE, READERS_FILE, MAKING_FILE, CLOSED_FILE, "lost+found"]);

/** Address space, not memory and not disk: below it the database grows without being mapped anew. */
const MAP_BYTES = 2 ** 30;

/** Most snapshots of different states open at once; each costs 64 bytes of the lock file. */
const MAX_READERS = 1_024;

/**
 * Creates the folder of a store (mode 700) if it is missing. Throws AuthorizerError "unavailable" when it cannot,
 * or when the folder holds other things than a store.
 */
export function prepareFolder(folder: string): void {
  const names = refusing(folder, "cannot be created or read", () => {
    makeFolder(dirname(folder));
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
    return readdirSync(folder);
  });
  if (!names.includes(DATA_FILE) && names.some((name) => !HARMLESS.has(name))) {
    throw new AuthorizerError(
      "unavailable",
      `The folder ${folder} holds other files but no store of svc-authorizer; name an empty folder or a new one.`,
    );
  }
}

/** The use of a database. */
interface DatabaseUse {
  readonly syncWrites: boolean;
  /** Nothing in the folder is created or changed. */
  readonly readOnly?: boolean;
  /** False: LMDB opens the file unseen, and may end the process by a signal. Default: true, unless it is as it was closed. */
  readonly checksPages?: boolean;
}

/**
 * Opens the database in a folder, creating it (mode 600) if there is none. Rejects with AuthorizerError
 * "unavailable" when the file is none of LMDB's, is damaged, or cannot be used.
 */
export async function openDatabase(
  folder: string,
  { syncWrites, readOnly = false, checksPages = true }: DatabaseUse,
): Promise<LocalDatabase> {
  const what = "is no store of svc-authorizer, is damaged, or cannot be used";
  // What opens a store that cannot be written is to say whether it is whole.
  const readsPages = checksPages && (readOnly || !isAsClosed(folder));
  const hasStore = refusing(folder, what, () => inspectDataFile(folder, readOnly, readsPages), WHAT_TO_DO);
  if (readOnly && !hasStore) {
    throw new AuthorizerError("unavailable", `The store folder ${folder} is no store of svc-authorizer.`);
  }
  if (!readOnly) refusing(folder, "cannot be used", () => prepareFiles(folder, !hasStore));
  const database = refusing(folder, what, () =>
    opened(folder, databaseOptions(folder, { syncWrites, readOnly })),
  );
  if (!hasStore) {
    await flushDataFile(folder);
    rmSync(join(folder, MAKING_FILE));
    for (const created of [folder, dirname(folder)]) syncFolder(created);
  }
  return database;
}

const WHAT_TO_DO =
  "Restore a backup of the folder. To begin with an empty store, run svc-authorizer reset, or remove the folder.";

/** Makes the files beside the data; where there is no store, notes that one is being made. */
function prepareFiles(folder: string, isNew: boolean): void {
  forgetClosed(folder);
  if (isNew) {
    writeFileSync(join(folder, MAKING_FILE), "", { mode: 0o600 });
    rmSync(join(folder, DATA_FILE), { force: true });
  }
  allocateReaders(join(folder, READERS_FILE));
}

/** Opens the database in a folder that another process has open for writing. Throws AuthorizerError "unavailable". */
export function openForReading(folder: string): LocalDatabase {
  return refusing(folder, "cannot be read", () => {
    return opened(folder, databaseOptions(folder, { syncWrites: true, readOnly: true }));
  });
}

/**
 * Reads the pages of the newest state of a data file that another process writes to.
 * @param hold opens a read transaction, for which that process keeps the pages of its state
 * @throws AuthorizerError "unavailable" where a page is missing or damaged
 */
export function assertWholeState(folder: string, hold: () => { done(): void }): void {
  refusing(folder, "cannot be used", () => inspectStateInUse(folder, hold), WHAT_TO_DO);
}

/** Puts a versioned value; only within a write transaction. */
export function putValue(database: LocalDatabase, key: Buffer, value: VersionedValue): void {
  // The library types what is put like what is read; the encoder below makes them differ.
  database.putSync(key, value as unknown as ReadRecord);
}

/**
 * Has LMDB open a folder; what was committed there stays.
 * @throws Error where that cannot be made sure of: nothing is left open
 */
function opened(folder: string, options: Parameters<typeof open>[0]): LocalDatabase {
  const database = open<ReadRecord, Buffer>(options);
  try {
    const isNoted = keepCommitted(folder, database);
    // Where the readers cannot be noted, LMDB notes nothing itself.
    if (!isNoted && !options.readOnly) throw new Error(`${READERS_FILE} cannot be written`);
    repairNewest(database);
    if (!options.readOnly) writeAfterCommitted(database);
    return database;
  } catch (error) {
    void database.close();
    throw error;
  }
}

function databaseOptions(
  path: string,
  { syncWrites, readOnly = false }: DatabaseUse,
): Parameters<typeof open>[0] {
  const options = {
    path,
    noSubdir: false,
    permissionsMode: 0o600,
    mapSize: MAP_BYTES,
    maxReaders: MAX_READERS,
    maxDbs: 1,
    keyEncoding: "binary" as const,
    encoder: { encode: encodeValue, decode: decodeRecord },
    // Plain LMDB: a transaction resolves once its pages, and after them the page that makes them valid, are on the
    // disk. The library's own scheme (overlapping) promises that of `flushed` only.
    overlappingSync: false,
    noSync: !syncWrites,
    readOnly,
    // If it were on, a failed transaction would reject an internal promise of the library that cannot be caught.
    eventTurnBatching: false,
  };
  return options;
}

/** Bytes of the file in which LMDB notes readers: 64 for each, and a head of less than 4 KiB. */
const READERS_BYTES = MAX_READERS * 64 + 4_096;

/**
 * Makes the file of the readers with all its blocks. LMDB makes it without, and writes to it through memory: on a full
 * disk that would end the process by a signal.
 */
function allocateReaders(path: string): void {
  if (existsSync(path)) return;
  try {
    writeFileSync(path, Buffer.alloc(READERS_BYTES), { mode: 0o600, flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return;
    rmSync(path, { force: true });
    throw error;
  }
}

/** Makes the entry of a new file or folder itself survive a power loss. */
function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function refusing<T>(folder: string, what: string, action: () => T, advice = ""): T {
  try {
    return action();
  } catch (error) {
    const reason = messageOf(error);
    const message = `The store folder ${folder} ${what}: ${reason}${advice && `. ${advice}`}`;
    throw new AuthorizerError("unavailable", message, { cause: error });
  }
}
