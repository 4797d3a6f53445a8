import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { open as openLmdb } from "lmdb";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { StoreFormats } from "../../src/store/format.ts";
import { type LocalDatabase, putValue } from "../../src/store/local/database.ts";
import { LOCAL_FORMATS } from "../../src/store/local/formats.ts";
import { recordKey } from "../../src/store/local/layout.ts";
import { openLocalStore } from "../../src/store/local/local-store.ts";
import { type ScannedRecord, withSnapshot } from "../../src/store/port.ts";
import { unavailable } from "./unavailable.ts";

const FIXTURE = fileURLToPath(new URL("../../fixtures/store/format-1/data.mdb", import.meta.url));
const KEPT = fileURLToPath(new URL("../../fixtures/store/format-1.records.json", import.meta.url));
const kept = JSON.parse(readFileSync(KEPT, "utf8")) as { partition: string; records: ScannedRecord[] }[];

const ALICE = { partition: "user", key: "alice" };

/** A format that exists in this test only: it spells alice in capitals. */
const nextFormat: StoreFormats<LocalDatabase> = {
  current: 3,
  migrations: [
    ...LOCAL_FORMATS.migrations,
    {
      from: 2,
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
  parent = mkdtempSync(join(tmpdir(), "local-format-"));
  path = join(parent, "store");
  mkdirSync(path);
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

async function aliceAfterOpening(formats?: StoreFormats<LocalDatabase>): Promise<string | undefined> {
  const store = await openLocalStore({ path, syncWrites: true, writer: "svc-authorizer 7.0.0" }, formats);
  const alice = await withSnapshot(store, (snapshot) => snapshot.get(ALICE.partition, ALICE.key));
  await store.close();
  return alice?.value;
}

it("opens a store of format 1, reads all of it, and goes on with its versions", async () => {
  expect(statSync(FIXTURE).size).toBeLessThan(100 * 1024);
  copyFileSync(FIXTURE, join(path, "data.mdb"));
  const store = await openLocalStore({ path, syncWrites: true });
  for (const { partition, records } of kept) {
    expect(await withSnapshot(store, (snapshot) => snapshot.scan(partition, { limit: 100 }))).toEqual(
      records,
    );
  }
  await store.commit({ put: [{ ...ALICE, value: "new" }] });
  const alice = await withSnapshot(store, (snapshot) => snapshot.get(ALICE.partition, ALICE.key));
  const before = kept.flatMap(({ records }) => records.map(({ version }) => Number(version)));
  expect(Number(alice?.version)).toBeGreaterThan(Math.max(...before));
  await store.close();
});

it("migrates an older store once, and the older program then refuses it", async () => {
  copyFileSync(FIXTURE, join(path, "data.mdb"));
  expect(await aliceAfterOpening()).toBe('{"username":"alice"}');
  expect(await aliceAfterOpening(nextFormat)).toBe('{"USERNAME":"ALICE"}');
  const unneeded = { current: 3, migrations: [{ from: 2, what: "never", run: vi.fn() }] };
  expect(await aliceAfterOpening(unneeded)).toBe('{"USERNAME":"ALICE"}');
  expect(unneeded.migrations[0]!.run).not.toHaveBeenCalled();
  const refusal = unavailable(
    /has format 3 and was written by svc-authorizer 7\.0\.0; .* up to 2\. Use the program/,
  );
  await expect(aliceAfterOpening()).rejects.toThrow(refusal);
});

it("leaves the older store whole when a migration fails", async () => {
  copyFileSync(FIXTURE, join(path, "data.mdb"));
  const failing: StoreFormats<LocalDatabase> = {
    current: 4,
    migrations: [
      ...nextFormat.migrations,
      {
        from: 3,
        what: "fails",
        run: () => {
          throw new Error("halfway");
        },
      },
    ],
  };
  await expect(aliceAfterOpening(failing)).rejects.toThrow("halfway");
  expect(await aliceAfterOpening()).toBe('{"username":"alice"}');
});

it("tells the log of creation and migration", async () => {
  const log = { info: vi.fn(), error: vi.fn() };
  await (await openLocalStore({ path, syncWrites: true, log })).close();
  expect(log.info).toHaveBeenLastCalledWith({ folder: path, format: 2 }, "store created");
  const empty = { current: 3, migrations: [{ from: 2, what: "nothing", run: () => undefined }] };
  await (await openLocalStore({ path, syncWrites: true, log }, empty)).close();
  expect(log.info).toHaveBeenLastCalledWith(
    { folder: path, from: 2, to: 3, what: ["nothing"] },
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
