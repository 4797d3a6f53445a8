/** Records that were replaced since an earlier state: few in memory, many in a file that has no name. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Turns } from "../../schedule/turns.ts";
import { type CheckedScan, isPossibleKey } from "../checks.ts";
import { type Replaced, type ReplacedRecord, ReplacedRecords, type ReplacedState } from "../past-snapshot.ts";
import { openDatabase, putValue } from "./database.ts";
import { recordKey, scanRange, textKey } from "./layout.ts";
import type { LocalDatabase } from "./local-database.ts";

/** Characters of records that are kept in memory, where each counts as {@link OF_RECORD} more. */
const MOST_IN_MEMORY = 2 ** 24;
const OF_RECORD = 500;

/**
 * Gathers what entries replaced.
 * @param pieces from the newest entry back
 * @param beside folder of the store: its disk has room for a file
 * @param mostInMemory characters of them
 */
export async function replacedSince(
  pieces: Iterable<readonly Replaced[]>,
  beside: string,
  mostInMemory = MOST_IN_MEMORY,
): Promise<ReplacedState> {
  const turns = new Turns();
  const few = new ReplacedRecords();
  let many: ReplacedInFile | undefined;
  let weight = 0;
  try {
    for (const piece of pieces) {
      for (const { before } of piece) weight += OF_RECORD + (before?.value.length ?? 0);
      if (many === undefined && weight > mostInMemory) many = await ReplacedInFile.open(few, beside);
      if (many === undefined) for (const one of piece) few.set(one);
      else many.add(piece);
      if (turns.spent) await turns.yield();
    }
  } catch (error) {
    many?.close();
    throw error;
  }
  return many ?? few;
}

/** Replaced records in a database of their own. */
class ReplacedInFile implements ReplacedState {
  readonly partitions = new Set<string>();
  readonly #database: LocalDatabase;

  private constructor(database: LocalDatabase) {
    this.#database = database;
  }

  /** Opens one with the records of another. */
  static async open(first: ReplacedRecords, beside: string): Promise<ReplacedInFile> {
    const folder = newFolder(beside);
    try {
      const file = new ReplacedInFile(await openDatabase(folder, { syncWrites: false }));
      const turns = new Turns();
      for (const piece of first.pieces()) {
        file.add(piece);
        if (turns.spent) await turns.yield();
      }
      return file;
    } finally {
      // An open file goes when it is closed, also by the end of the process; where that is not so, it is left to the system.
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** Adds records; to be called from the newest entry back. */
  add(piece: readonly Replaced[]): void {
    this.#database.transactionSync(() => {
      for (const { partition, key, before } of piece) {
        this.partitions.add(partition);
        const value = before && { version: Number(before.version), value: before.value };
        putValue(this.#database, recordKey(partition, key), value ?? GONE);
      }
    });
  }

  get(partition: string, key: string): Pick<Replaced, "before"> | undefined {
    const record = isPossibleKey(key) ? this.#database.get(recordKey(partition, key)) : undefined;
    return record && { before: record.gone === true ? undefined : record };
  }

  scan(partition: string, range: CheckedScan): readonly ReplacedRecord[] {
    const found: ReplacedRecord[] = [];
    for (const { key, value } of this.#database.getRange({
      ...scanRange(partition, range),
      limit: range.limit,
    }))
      found.push({ key: textKey(partition, key), before: value.gone === true ? undefined : value });
    return found;
  }

  close(): void {
    void this.#database.close();
  }
}

/** A new folder beside another; among the temporary ones where that cannot be written. */
function newFolder(beside: string): string {
  const name = `.svc-authorizer-past-${process.pid}-`;
  try {
    return mkdtempSync(join(dirname(beside), name));
  } catch {
    return mkdtempSync(join(tmpdir(), name));
  }
}

/** Stands for a record that was not there before. */
const GONE = { version: 0, value: "", staged: "gone" } as const;
