/** A store that was closed is not read page by page again, unless its file was touched since. */
import {
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { localFolder } from "../../src/compose/store/backends.ts";
import { withOfflineStoreToRead } from "../../src/compose/store/offline-store.ts";
import { configFromObject } from "../../src/config/load.ts";
import { CLOSED_FILE, isAsClosed, noteClosed } from "../../src/store/local/closed-note.ts";
import { openLocalStore, openLocalStoreReadOnly } from "../../src/store/local/local-store.ts";
import { removeLocalStore } from "../../src/store/local/remove-store.ts";
import { withSnapshot } from "../../src/store/port.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const PARTITION = "p";
const PAGE_BYTES = 4_096;
const KEYS = Array.from({ length: 400 }, (_, index) => `k${String(index).padStart(3, "0")}`);

const open = (path: string) => openLocalStore({ path, syncWrites: false });

async function closedStore(path = temporaryFolder()): Promise<string> {
  const store = await open(path);
  const value = JSON.stringify({ text: "t".repeat(900) });
  await store.commit({ put: KEYS.map((key) => ({ partition: PARTITION, key, value })) });
  await store.close();
  return path;
}

/** Makes the page of a record one of no known kind. */
function damage(path: string): void {
  const file = join(path, "data.mdb");
  const bytes = readFileSync(file);
  const at = bytes.lastIndexOf(Buffer.from('{"text":"ttt'));
  bytes.writeUInt16LE(0x40, Math.floor(at / PAGE_BYTES) * PAGE_BYTES + 18);
  writeFileSync(file, bytes);
}

it("opens what it closed without reading its pages, and keeps everything in it", async () => {
  const path = await closedStore();
  expect(isAsClosed(path)).toBe(true);
  const store = await open(path);
  expect(existsSync(join(path, CLOSED_FILE))).toBe(false);
  await withSnapshot(store, async (snapshot) => {
    expect(await snapshot.getMany(PARTITION, KEYS)).toHaveLength(KEYS.length);
  });
  await store.close();
  // Pages that are damaged and noted can only be opened by who does not look at them.
  damage(path);
  await noteClosed(path);
  await (await open(path)).close();
  expect(isAsClosed(path)).toBe(true);
  await expect(openLocalStoreReadOnly(path)).rejects.toThrow("its bytes changed");
});

it("reads the pages of a file that changed at once after the end, with the time that it had", async () => {
  const path = await closedStore();
  const file = join(path, "data.mdb");
  const { atime, mtime } = statSync(file);
  damage(path);
  utimesSync(file, atime, mtime);
  expect(isAsClosed(path)).toBe(false);
  await expect(open(path)).rejects.toThrow("its bytes changed");
  await expect(openLocalStoreReadOnly(path)).rejects.toThrow("its bytes changed");
});

it("reads the pages of another file in its place, and of a store whose note is another", async () => {
  const path = await closedStore();
  const file = join(path, "data.mdb");
  copyFileSync(file, `${file}.other`);
  renameSync(`${file}.other`, file);
  expect(isAsClosed(path)).toBe(false);
  await noteClosed(path);
  expect(isAsClosed(path)).toBe(true);
  for (const text of ["", "{}", "no note"]) {
    writeFileSync(join(path, CLOSED_FILE), text);
    expect(isAsClosed(path)).toBe(false);
  }
  damage(path);
  await expect(open(path)).rejects.toThrow("its bytes changed");
});

it("leaves no note of a store that is open, that was never read, or that was removed", async () => {
  const path = await closedStore();
  const store = await open(path);
  await store.commit({ put: [{ partition: PARTITION, key: "more", value: "{}" }] });
  expect(isAsClosed(path)).toBe(false);
  await store.close();
  await (await openLocalStore({ path, syncWrites: false, checksPages: false })).close();
  expect(isAsClosed(path)).toBe(false);
  await (await open(path)).close();
  expect(isAsClosed(path)).toBe(true);
  removeLocalStore(path);
  expect(existsSync(join(path, CLOSED_FILE))).toBe(false);
  await (await open(path)).close();
});

it("lets a command that looks after the store read the pages in any case", async () => {
  const { values } = configFromObject(
    { "database.type": "local", "database.local.path": temporaryFolder() },
    {},
    { requirements: "none" },
  );
  const path = await closedStore(localFolder(values));
  await withOfflineStoreToRead(values, async () => {});
  expect(isAsClosed(path)).toBe(true);
  damage(path);
  await noteClosed(path);
  await expect(withOfflineStoreToRead(values, async () => {})).rejects.toThrow("its bytes changed");
  expect(isAsClosed(path)).toBe(false);
});
