/** An empty local store that a log is copied into, with its ids and its history (spec/journal §4). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { encodeBody } from "../log-entry.ts";
import type { CommittedChange, EntryWrites, VersionedRecord } from "../port.ts";
import { applyWrites, inTurns } from "./apply-writes.ts";
import { flushDataFile } from "./data-file.ts";
import { openDatabase, prepareFolder, putValue } from "./database.ts";
import { type FolderLock, lockFolder } from "./folder-lock.ts";
import { LOCAL_FORMATS, migrateDatabase } from "./formats.ts";
import { recordKey } from "./layout.ts";
import type { LocalDatabase } from "./local-database.ts";
import { appendEntry, EMPTY_LOG, putPosition, readPosition } from "./local-log.ts";

/** A state of the log that is copied. */
interface ImportedState {
  readonly last: { readonly revision: number; readonly id: string; readonly at: string };
  readonly log: string;
  readonly pages: AsyncIterable<readonly VersionedRecord[]>;
  readonly isOldest: boolean;
}

/** Opens a folder for a copy, creating it where it is missing; throws as the local store does. */
export async function openLocalImport(path: string): Promise<LocalImport> {
  prepareFolder(path);
  const lock = lockFolder(path);
  try {
    const database = await openDatabase(path, { syncWrites: false });
    migrateDatabase(database, path, "svc-authorizer", LOCAL_FORMATS, undefined);
    return new LocalImport(database, path, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Writes a log into a folder. */
class LocalImport {
  readonly #database: LocalDatabase;
  readonly #path: string;
  readonly #lock: FolderLock;

  constructor(database: LocalDatabase, path: string, lock: FolderLock) {
    this.#database = database;
    this.#path = path;
    this.#lock = lock;
  }

  async assertEmpty(): Promise<void> {
    const position = readPosition(this.#database) ?? EMPTY_LOG;
    if (position.revision === 0) return;
    throw new AuthorizerError("invalid_request", `the store in ${this.#path} has a log already`);
  }

  async putState({ last, log, pages, isOldest }: ImportedState): Promise<void> {
    // The newest state comes of the entries.
    if (!isOldest) return;
    for await (const page of pages) {
      await this.#database.transaction(() => {
        for (const { partition, key, value, version } of page) {
          putValue(this.#database, recordKey(partition, key), { version, value });
        }
      });
    }
    const { revision } = last;
    await this.#database.transaction(() => putPosition(this.#database, { ...last, log, floor: revision }));
  }

  async putEntry({ revision, id, at, node, useCases }: CommittedChange, writes: EntryWrites): Promise<void> {
    const body = await encodeBody(writes);
    await this.#database.transaction(async () => {
      const before = readPosition(this.#database) ?? EMPTY_LOG;
      const steps = applyWrites(this.#database, { writes, version: revision, body: body.bytes });
      const parts = await inTurns(steps);
      appendEntry(this.#database, before, { revision, id, at, node }, { body, useCases }, parts);
    });
  }

  /** Makes what was written durable, and gives the folder free. */
  async close(): Promise<void> {
    await this.#database.close();
    await flushDataFile(this.#path);
    this.#lock.release();
  }
}
