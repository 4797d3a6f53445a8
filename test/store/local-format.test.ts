import { copyFileSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { open as openLmdb } from "lmdb";
import { beforeEach, expect, it, vi } from "vitest";
import type { StoreFormats } from "../../src/store/format.ts";
import { openDatabase, putValue } from "../../src/store/local/database.ts";
import { LOCAL_FORMATS, migrateDatabase } from "../../src/store/local/formats.ts";
import { recordKey } from "../../src/store/local/layout.ts";
import type { LocalDatabase } from "../../src/store/local/local-database.ts";
import {
  openLocalStore,
  openLocalStoreInUse,
  openLocalStoreReadOnly,
} from "../../src/store/local/local-store.ts";
import { type ScannedRecord, withSnapshot } from "../../src/store/port.ts";
import type { StoreLog } from "../../src/store/store-log.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { unavailable } from "./unavailable.ts";

const fixture = (format: number) =>
  fileURLToPath(new URL(`../../fixtures/store/format-${format}/data.mdb`, import.meta.url));
const FIXTURE = fixture(1);
const KEPT = fileURLToPath(new URL("../../fixtures/store/format-1.records.json", import.meta.url));
const kept = JSON.parse(readFileSync(KEPT, "utf8")) as { partition: string; records: ScannedRecord[] }[];

const ALICE = { partition: "user", key: "alice" };

/** A format that exists in this test only: it spells alice in capitals. */
const nextFormat: StoreFormats<LocalDatabase> = {
  current: 6,
  migrations: [
    ...LOCAL_FORMATS.migrations,
    {
      from: 5,
      what: "capitals",
      run: (database) => {
        const key = recordKey(ALICE.partition, ALICE.key);
        const record = database.get(key)!;
        putValue(database, key, { version: Number(record.version), value: record.value.toUpperCase() });
      },
    },
  ],
};

let parent: string;
let path: string;

beforeEach(() => {
  parent = temporaryFolder();
  path = join(parent, "store");
  mkdirSync(path);
});

const WRITER = "svc-authorizer 7.0.0";

async function aliceAfterOpening(): Promise<string | undefined> {
  const store = await openLocalStore({ path, syncWrites: true, writer: WRITER });
  const alice = await withSnapshot(store, (snapshot) => snapshot.get(ALICE.partition, ALICE.key));
  await store.close();
  return alice?.value;
}

async function aliceAfterMigrating(
  formats: StoreFormats<LocalDatabase>,
  log?: StoreLog,
): Promise<string | undefined> {
  const database = await openDatabase(path, { syncWrites: true });
  try {
    migrateDatabase(database, path, WRITER, formats, log);
    return database.get(recordKey(ALICE.partition, ALICE.key))?.value;
  } finally {
    await database.close();
  }
}

it.each([1, 2])("opens a store of format %i: its state is the first entry of the log", async (format) => {
  expect(statSync(fixture(format)).size).toBeLessThan(100 * 1024);
  copyFileSync(fixture(format), join(path, "data.mdb"));
  let store = await openLocalStore({ path, syncWrites: true });
  for (const { partition, records } of kept) {
    expect(await withSnapshot(store, (snapshot) => snapshot.scan(partition, { limit: 100 }))).toEqual(
      records.map((record) => ({ ...record, version: "1" })),
    );
  }
  expect(store.history.head.revision).toBe(1);
  expect(await store.history.keptFrom()).toBe(1);
  const [first] = (await store.changes(0, 10))!;
  expect(first).toMatchObject({ revision: 1, useCases: [{ touched: { all: true } }], change: { all: true } });
  expect(store.history.head).toMatchObject({ log: first!.id, at: first!.at });
  expect(await store.commit({ put: [{ ...ALICE, value: "new" }] })).toBe(2);
  await store.close();
  store = await openLocalStore({ path, syncWrites: true });
  expect((await store.changes(0, 10))!.map(({ revision }) => revision)).toEqual([1, 2]);
  const before = await store.history.snapshotAt(1);
  expect(await before.get(ALICE.partition, ALICE.key)).toEqual({
    value: '{"username":"alice"}',
    version: "1",
  });
  before.release();
  await expect(store.history.snapshotAt(0)).rejects.toMatchObject({ code: "not_found" });
  await store.close();
});

it("removes entries whose time is over with those that come", async () => {
  const store = await openLocalStore({ path, syncWrites: true, keepMs: 0 });
  for (let round = 0; round < 5; round++) {
    await store.commit({ put: [{ ...ALICE, value: `${round}` }], touched: { users: ["alice"] } });
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  expect(await store.history.keptFrom()).toBe(4);
  expect((await store.changes(4, 10))!.map(({ revision }) => revision)).toEqual([5]);
  const about = await store.history.about({ kind: "user", name: "alice" }, 100, 100);
  expect(about.map(({ revision }) => revision)).toEqual([5]);
  const snapshot = await store.history.snapshotAt(4);
  expect((await snapshot.get(ALICE.partition, ALICE.key))?.value).toBe("3");
  snapshot.release();
  await store.close();
});

it("migrates an older store once, and the older program then refuses it", async () => {
  copyFileSync(FIXTURE, join(path, "data.mdb"));
  expect(await aliceAfterOpening()).toBe('{"username":"alice"}');
  expect(await aliceAfterMigrating(nextFormat)).toBe('{"USERNAME":"ALICE"}');
  const unneeded = { current: 6, migrations: [{ from: 5, what: "never", run: vi.fn() }] };
  expect(await aliceAfterMigrating(unneeded)).toBe('{"USERNAME":"ALICE"}');
  expect(unneeded.migrations[0]!.run).not.toHaveBeenCalled();
  const refusal = unavailable(
    /has format 6 and was written by svc-authorizer 7\.0\.0; .* up to 5\. Use the program/,
  );
  await expect(aliceAfterOpening()).rejects.toThrow(refusal);
});

it.each([3, 4])(
  "is refused, once it is opened, by programs of format %i: they ignore who is inactive",
  async (format) => {
    const before: StoreFormats<LocalDatabase> = { current: format, migrations: LOCAL_FORMATS.migrations };
    expect(await aliceAfterMigrating(before)).toBeUndefined();
    expect(await aliceAfterOpening()).toBeUndefined();
    await expect(aliceAfterMigrating(before)).rejects.toThrow(
      unavailable(
        new RegExp(`has format 5 and was written by svc-authorizer 7\\.0\\.0; .* up to ${format}\\. Use`),
      ),
    );
  },
);

it.each([3, 4])("of format %i is read without a migration where nothing may be written", async (format) => {
  const before: StoreFormats<LocalDatabase> = { current: format, migrations: LOCAL_FORMATS.migrations };
  copyFileSync(FIXTURE, join(path, "data.mdb"));
  await aliceAfterMigrating(before);
  for (const open of [openLocalStoreReadOnly, openLocalStoreInUse]) {
    const store = await open(path);
    const alice = await withSnapshot(store, (snapshot) => snapshot.get(ALICE.partition, ALICE.key));
    expect(alice?.value).toBe('{"username":"alice"}');
    await store.close();
  }
  expect(await aliceAfterMigrating(before)).toBe('{"username":"alice"}');
});

it("leaves the older store whole when a migration fails", async () => {
  copyFileSync(FIXTURE, join(path, "data.mdb"));
  const failing: StoreFormats<LocalDatabase> = {
    current: 7,
    migrations: [
      ...nextFormat.migrations,
      {
        from: 6,
        what: "fails",
        run: () => {
          throw new Error("halfway");
        },
      },
    ],
  };
  await expect(aliceAfterMigrating(failing)).rejects.toThrow("halfway");
  expect(await aliceAfterOpening()).toBe('{"username":"alice"}');
});

it("tells the log of creation and migration", async () => {
  const log = { info: vi.fn(), error: vi.fn() };
  await (await openLocalStore({ path, syncWrites: true, log })).close();
  expect(log.info).toHaveBeenLastCalledWith({ folder: path, format: 5 }, "store created");
  const empty = { current: 6, migrations: [{ from: 5, what: "nothing", run: () => undefined }] };
  await aliceAfterMigrating(empty, log);
  expect(log.info).toHaveBeenLastCalledWith(
    { folder: path, from: 5, to: 6, what: ["nothing"] },
    "store migrated",
  );
  expect(log.info).toHaveBeenCalledTimes(2);
});

it("refuses the database of another program", async () => {
  const foreign = openLmdb({ path, noSubdir: false });
  await foreign.put("theirs", { something: "else" });
  await foreign.close();
  await expect(aliceAfterOpening()).rejects.toThrow(unavailable(/is no store of svc-authorizer/));
});
