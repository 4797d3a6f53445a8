/** Records that a stage wrote, as one state has them: in force, or still what they were before. */

import type { StoredRecord } from "../port.ts";
import { beforeKey, type ReadRecord, stageKey } from "./layout.ts";
import type { LocalDatabase } from "./local-database.ts";
import { type ReadOptions, recordAt } from "./read-record.ts";

/** The version of what is staged and not in force, and of what was not there before. */
export const NO_VERSION = "0";

/** Resolves the records of one state; without a read transaction, of the write transaction that is open. */
export class StagedRecords {
  readonly #database: LocalDatabase;
  readonly #options: ReadOptions;
  /** Versions of stages; undefined: not in force in this state. */
  readonly #versions = new Map<number, string | undefined>();

  /** @param own number of a stage that counts as in force */
  constructor(database: LocalDatabase, options: ReadOptions, own?: number) {
    this.#database = database;
    this.#options = options;
    if (own !== undefined) this.#versions.set(own, NO_VERSION);
  }

  /** The record that counts in place of one that was read under a key. */
  resolve(record: ReadRecord | undefined, key: () => Buffer): StoredRecord | undefined {
    if (record?.stage === undefined) return record;
    const version = this.#versionOf(record.stage);
    if (version === undefined) {
      const before = recordAt(this.#database, beforeKey(record.stage, key()), this.#options);
      return before?.version === NO_VERSION ? undefined : before;
    }
    return record.gone === true ? undefined : { value: record.value, version };
  }

  #versionOf(stage: number): string | undefined {
    if (this.#versions.has(stage)) return this.#versions.get(stage);
    const version = versionOfStage(this.#database, stage, this.#options);
    this.#versions.set(stage, version);
    return version;
  }
}

/** The revision that put a stage in force, as a version; undefined where it is not in force in the state that is read. */
export function versionOfStage(
  database: LocalDatabase,
  stage: number,
  options: ReadOptions,
): string | undefined {
  const version = recordAt(database, stageKey(stage), options)?.version;
  return version === NO_VERSION ? undefined : version;
}
