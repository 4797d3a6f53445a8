/** Formats of the local store, and bringing a database to the current one when it is opened. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import {
  formatRecordText,
  type Migration,
  parseFormatRecord,
  planMigrations,
  type StoreFormats,
} from "../format.ts";
import { DamagedRecord } from "../port.ts";
import type { StoreLog } from "../store-log.ts";
import { putValue } from "./database.ts";
import { FORMAT_KEY } from "./layout.ts";
import type { LocalDatabase } from "./local-database.ts";
import { EMPTY_LOG, type LogPosition, putPosition, readPosition } from "./local-log.ts";
import { SETTLE_BATCHES } from "./migrate-batches.ts";
import { BEGIN_LOG } from "./migrate-log.ts";
import { recordAt } from "./read-record.ts";

/** Steps that change the number alone: what they add is written later, and a program from before would not see it. */
const LETS_STAGE: Migration<LocalDatabase> = { from: 3, what: "values may be staged", run() {} };
const LETS_RESTRICT: Migration<LocalDatabase> = {
  from: 4,
  what: "users may be inactive, access keys may expire",
  run() {},
};

/** The current format and the way to it; layout.ts describes it. */
export const LOCAL_FORMATS: StoreFormats<LocalDatabase> = {
  current: 5,
  readable: 3,
  migrations: [SETTLE_BATCHES, BEGIN_LOG, LETS_STAGE, LETS_RESTRICT],
};

/**
 * Makes a new database a store, migrates an older one (all steps in one transaction), and returns where its log
 * stands. Throws AuthorizerError "unavailable" for a newer store and for a database that is no store.
 */
export function migrateDatabase(
  database: LocalDatabase,
  folder: string,
  writer: string,
  formats: StoreFormats<LocalDatabase>,
  log: StoreLog | undefined,
): LogPosition {
  const record = readToOpen(folder, () => recordAt(database, FORMAT_KEY, {}));
  if (record === undefined) {
    create(database, folder, writer, formats.current);
    log?.info({ folder, format: formats.current }, "store created");
    return EMPTY_LOG;
  }
  const found = parseFormatRecord(folder, record.value);
  const steps = planMigrations(folder, found, formats);
  if (steps.length > 0) {
    database.transactionSync(() => {
      for (const step of steps) step.run(database);
      putFormat(database, writer, formats.current);
    });
    const what = steps.map((step) => step.what);
    log?.info({ folder, from: found.format, to: formats.current, what }, "store migrated");
  }
  const position = readToOpen(folder, () => readPosition(database));
  if (position === undefined)
    throw new AuthorizerError("unavailable", `The store in ${folder} is damaged: no version.`);
  return position;
}

/**
 * Returns where the log of a database stands whose format can be read as it is; changes nothing.
 * @throws AuthorizerError "unavailable" for another format, and for a database that is no store
 */
export function currentPosition(
  database: LocalDatabase,
  folder: string,
  formats: StoreFormats<LocalDatabase>,
): LogPosition {
  const record = readToOpen(folder, () => recordAt(database, FORMAT_KEY, {}));
  const found = record && parseFormatRecord(folder, record.value);
  const { readable = formats.current } = formats;
  if (found !== undefined && planMigrations(folder, found, formats).length > 0 && found.format < readable) {
    const message = `The store in ${folder} has an earlier format and has to be migrated: open it in a folder that can be written.`;
    throw new AuthorizerError("unavailable", message);
  }
  const position = found && readToOpen(folder, () => readPosition(database));
  if (position === undefined)
    throw new AuthorizerError(
      "unavailable",
      `The database in ${folder} is no sound store of svc-authorizer.`,
    );
  return position;
}

/** Reads what a store cannot be opened without. @throws AuthorizerError "unavailable" where it is damaged */
function readToOpen<T>(folder: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DamagedRecord)) throw error;
    const message = `The store in ${folder} is damaged: its record "${error.key}" cannot be read. Restore the folder from a backup.`;
    throw new AuthorizerError("unavailable", message, { cause: error });
  }
}

function create(database: LocalDatabase, folder: string, writer: string, format: number): void {
  if (!isEmpty(database)) {
    throw new AuthorizerError("unavailable", `The database in ${folder} is no store of svc-authorizer.`);
  }
  database.transactionSync(() => {
    putFormat(database, writer, format);
    putPosition(database, EMPTY_LOG);
  });
}

function putFormat(database: LocalDatabase, writer: string, format: number): void {
  putValue(database, FORMAT_KEY, { version: 0, value: formatRecordText({ format, written_by: writer }) });
}

function isEmpty(database: LocalDatabase): boolean {
  for (const _ of database.getKeys({ limit: 1 })) return false;
  return true;
}
