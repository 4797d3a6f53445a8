/** Backups of a local store in one file, also while the service runs. */

import { randomBytes } from "node:crypto";
import { existsSync, renameSync, rmSync } from "node:fs";
import { type FileHandle, open as openFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { ConfigValues } from "../../config/table.ts";
import {
  type BackupHead,
  BackupLines,
  type BackupPart,
  readBackup,
  readPart,
} from "../../store/backup-lines.ts";
import { openLocalImport } from "../../store/local/import-log.ts";
import type { Store, VersionedRecord } from "../../store/port.ts";
import { withOfflineStoreToRead } from "./offline-store.ts";

/** Text that is written at once. */
const CHUNK = 256 * 1024;

/** The result of a backup. */
interface BackupReport {
  readonly revision: number;
  readonly at: string;
  readonly records: number;
  /** True if it went on with what an interrupted one had written. */
  readonly resumed: boolean;
}

/**
 * Writes the newest state into a file (mode 600), or goes on with the state of a backup that was interrupted. Until it is
 * whole, the file has the ending `.part`.
 * @throws AuthorizerError "invalid_request" where the file exists, or the store is not local
 */
export async function backUp(values: ConfigValues, file: string): Promise<BackupReport> {
  assertLocal(values);
  if (existsSync(file)) throw new AuthorizerError("invalid_request", `${file} exists already`);
  return withOfflineStoreToRead(values, (store) => writeBackup(store, file));
}

function assertLocal(values: ConfigValues): void {
  const type = values["database.type"];
  if (type === "local") return;
  const message = `database.type ${type ?? "is not set"}: a backup of this kind is one of a local store; back up a shared database with its own means`;
  throw new AuthorizerError("invalid_request", message);
}

async function writeBackup(store: Store, file: string): Promise<BackupReport> {
  const part = `${file}.part`;
  const begun = existsSync(part) ? await usablePart(store, part) : undefined;
  const head = begun?.head ?? (await newestOf(store));
  const lines = begun?.lines ?? new BackupLines();
  const handle = await openFile(part, begun === undefined ? "w" : "r+", 0o600);
  try {
    const writer = new ChunkWriter(handle, begun?.bytes ?? 0);
    await handle.truncate(begun?.bytes ?? 0);
    if (begun === undefined) await writer.write(lines.head(head));
    let last = begun?.last;
    for await (const page of store.history.records(head.revision)) {
      for (const record of page) {
        if (last !== undefined && !isAfter(record, last)) continue;
        last = undefined;
        await writer.write(lines.record(record));
      }
    }
    const end = lines.end();
    await writer.write(end);
    await writer.flush();
    await handle.sync();
    renameSync(part, file);
    const { records } = JSON.parse(end) as { readonly records: number };
    return { revision: head.revision, at: head.at, records, resumed: begun !== undefined };
  } finally {
    await handle.close();
  }
}

/** The part of an interrupted backup, if its state can still be read. */
async function usablePart(store: Store, part: string): Promise<BackupPart | undefined> {
  const found = await readPart(part);
  if (found === undefined || found.head.log !== store.history.head.log) return undefined;
  const { revision, id } = found.head;
  if (revision > store.history.head.revision || (await store.history.keptFrom()) > revision) return undefined;
  const [entry] = (await store.changes(revision - 1, 1)) ?? [];
  return entry === undefined || entry.id === id ? found : undefined;
}

async function newestOf(store: Store): Promise<BackupHead> {
  const { revision, at, log } = store.history.head;
  const [entry] = revision === 0 ? [] : ((await store.changes(revision - 1, 1)) ?? []);
  if (entry === undefined) throw new AuthorizerError("invalid_request", "the store has nothing to back up");
  return { revision, id: entry.id, at, log };
}

function isAfter(record: VersionedRecord, last: VersionedRecord): boolean {
  const order = Buffer.compare(Buffer.from(record.partition), Buffer.from(last.partition));
  return order > 0 || (order === 0 && Buffer.compare(Buffer.from(record.key), Buffer.from(last.key)) > 0);
}

/** Writes texts in chunks, and waits for each. */
class ChunkWriter {
  readonly #handle: FileHandle;
  #position: number;
  #waiting: string[] = [];
  #length = 0;

  constructor(handle: FileHandle, position: number) {
    this.#handle = handle;
    this.#position = position;
  }

  async write(text: string): Promise<void> {
    this.#waiting.push(text);
    this.#length += text.length;
    if (this.#length >= CHUNK) await this.flush();
  }

  async flush(): Promise<void> {
    const bytes = Buffer.from(this.#waiting.join(""));
    this.#waiting = [];
    this.#length = 0;
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await this.#handle.write(bytes, done, bytes.length - done, this.#position);
      done += bytesWritten;
      this.#position += bytesWritten;
    }
  }
}

/** Makes a store in a folder, which must not exist, from a backup; returns its head. */
export async function unpackBackup(file: string, folder: string): Promise<BackupHead> {
  const lines = readBackup(file);
  const first = await lines.next();
  if (first.done === true || "partition" in first.value) {
    throw new AuthorizerError("invalid_request", `${file} is no backup of a store`);
  }
  const head = first.value;
  const target = await openLocalImport(folder);
  try {
    await target.putState({ last: head, log: head.log, pages: pagesOf(lines), isOldest: true });
  } finally {
    await target.close();
  }
  return head;
}

async function* pagesOf(
  lines: AsyncIterable<BackupHead | VersionedRecord>,
): AsyncGenerator<VersionedRecord[]> {
  let page: VersionedRecord[] = [];
  for await (const one of lines) {
    if (!("partition" in one)) continue;
    page.push(one);
    if (page.length < 1_000) continue;
    yield page;
    page = [];
  }
  yield page;
}

/** Runs `work` on the store that a backup holds, which is unpacked beside it for that time. */
export async function withBackup<T>(file: string, work: (store: Store) => Promise<T>): Promise<T> {
  const folder = join(dirname(file), `.backup-${randomBytes(6).toString("hex")}`);
  try {
    await unpackBackup(file, folder);
    const { openLocalStoreReadOnly } = await import("../../store/local/local-store.ts");
    const store = await openLocalStoreReadOnly(folder);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
