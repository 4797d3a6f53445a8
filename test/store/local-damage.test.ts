/** A store of which bytes changed on the disk: its damaged records are named and never answered from. */

import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { checkConsistency } from "../../src/directory/upkeep/check-store.ts";
import { openLocalStore, openLocalStoreReadOnly } from "../../src/store/local/local-store.ts";
import { DamagedRecord, type Store, withSnapshot } from "../../src/store/port.ts";
import { startChild } from "./children/child.ts";

const PARTITION = "resource_type";
const KEYS = ["a", "b", "c", "d"];
/** The text of a record: stands in the file as it is. */
const textOf = (key: string): string => JSON.stringify({ type: key, arn: `needle-${key}-0123456789` });

let folder: string;
let store: Store | undefined;

beforeEach(async () => {
  folder = join(mkdtempSync(join(tmpdir(), "local-damage-")), "store");
  const first = await openLocalStore({ path: folder, syncWrites: true });
  await first.commit({ put: KEYS.map((key) => ({ partition: PARTITION, key, value: textOf(key) })) });
  await first.close();
});
afterEach(async () => {
  await store?.close();
  rmSync(join(folder, ".."), { recursive: true, force: true });
});

/**
 * Changes one letter in the file, so that the text stays JSON: of a record, or of the entry of the log that put it, in
 * which its text is a part of another.
 */
async function damage(key: string, where: "record" | "log" = "record"): Promise<Store> {
  const file = join(folder, "data.mdb");
  const bytes = readFileSync(file);
  const needle = Buffer.from(where === "record" ? `"arn":"needle-${key}-` : `\\":\\"needle-${key}-`);
  let found = 0;
  for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + 1)) {
    bytes[at + needle.length - 1]! ^= 1;
    found++;
  }
  expect(found).toBeGreaterThan(0);
  writeFileSync(file, bytes);
  store = await openLocalStore({ path: folder, syncWrites: true });
  return store;
}

it("never answers with a damaged record, and with every other", async () => {
  await withSnapshot(await damage("b"), async (snapshot) => {
    expect((await snapshot.get(PARTITION, "a"))?.value).toBe(textOf("a"));
    await expect(snapshot.get(PARTITION, "b")).rejects.toBeInstanceOf(DamagedRecord);
    await expect(snapshot.getMany(PARTITION, KEYS)).rejects.toMatchObject({
      code: "internal",
      partition: PARTITION,
      key: "b",
    });
    await expect(snapshot.scan(PARTITION, { limit: 10 })).rejects.toBeInstanceOf(DamagedRecord);
    expect(await snapshot.scan(PARTITION, { limit: 10, after: "b" })).toHaveLength(2);
  });
});

it.each(KEYS)("check-store names the damaged record %s, and goes on behind it", async (key) => {
  const damaged = await damage(key);
  await damaged.commit({ put: [{ partition: PARTITION, key: "z", value: "no JSON" }] });
  const found = (await checkConsistency(damaged)).map((one) => [one.kind, one.partition, one.key]);
  expect(found.sort()).toEqual([
    ["damaged", PARTITION, key],
    ["unreadable", PARTITION, "z"],
  ]);
});

it("check-store names a damaged entry of the log", async () => {
  expect(await checkConsistency(await damage("b", "log"))).toMatchObject([
    { kind: "damaged", partition: "log", key: "entry 1" },
  ]);
});

it("is read without a change to the folder where that cannot be written, and refuses commits", async () => {
  // LMDB's table of readers is written where it can be.
  const files = () => readdirSync(folder).filter((name) => name !== "lock.mdb");
  const state = () => files().map((name) => [name, statSync(join(folder, name)).mtimeMs]);
  const before = state();
  store = await openLocalStoreReadOnly(folder);
  expect(await checkConsistency(store)).toEqual([]);
  await expect(store.commit({ put: [{ partition: "p", key: "k", value: "v" }] })).rejects.toThrow();
  await store.close();
  expect(state()).toEqual(before);
  rmSync(join(folder, "data.mdb"));
  await expect(openLocalStoreReadOnly(folder)).rejects.toMatchObject({ code: "unavailable" });
});

it("is refused, with its folder and what to do, where the record of its format is damaged", async () => {
  const file = join(folder, "data.mdb");
  const bytes = readFileSync(file);
  // Its first commit and its last one have it, and some page may hold an earlier one.
  for (let at = bytes.indexOf('"written_by"'); at >= 0; at = bytes.indexOf('"written_by"', at + 1))
    bytes[at + 1]! ^= 1;
  writeFileSync(file, bytes);
  const refused = {
    code: "unavailable",
    message: expect.stringContaining(`The store in ${folder} is damaged: its record "format"`),
  };
  await expect(openLocalStore({ path: folder, syncWrites: false })).rejects.toMatchObject(refused);
  await expect(openLocalStoreReadOnly(folder)).rejects.toMatchObject(refused);
});

it("reads records without a checksum, which earlier formats wrote", async () => {
  const { decodeRecord, encodeValue } = await import("../../src/store/local/layout.ts");
  const value = encodeValue({ version: 2 ** 40 + 7, value: "text" });
  expect(decodeRecord(value)).toEqual({ version: String(2 ** 40 + 7), value: "text" });
  const earlier = Buffer.concat([value.subarray(0, 8), Buffer.from("text")]);
  earlier[0]! &= 0x7f;
  expect(decodeRecord(earlier)).toEqual({ version: String(2 ** 40 + 7), value: "text" });
  for (let at = 1; at < value.length; at++) {
    const changed = Buffer.from(value);
    changed[at]! ^= 0x10;
    expect(decodeRecord(changed)).toMatchObject({ damaged: true });
  }
});

it("is refused or read where any bit changed or the file was cut, and never ends the process", async () => {
  const busy = await openLocalStore({ path: folder, syncWrites: false, keepMs: 1 });
  for (let round = 0; round < 60; round++) {
    const put = Array.from({ length: 30 }, (_, index) => {
      const key = `k${(index * 7 + round * 13) % 900}`;
      return {
        partition: PARTITION,
        key,
        value: JSON.stringify({ type: key, text: "t".repeat((round * index) % 700) }),
      };
    });
    await busy.commit({ put });
  }
  await busy.commit({
    put: [{ partition: PARTITION, key: "large", value: JSON.stringify({ text: "l".repeat(30_000) }) }],
  });
  await busy.close();
  const seed = Math.floor(Math.random() * 2 ** 31);
  const child = startChild("open-damaged.ts", [folder, String(seed), "240"]);
  const [code, signal] = await once(child.process, "close");
  expect({ code, signal, seed }).toEqual({ code: 0, signal: null, seed });
  const ends = JSON.parse(child.lines()[0]!) as Record<string, number>;
  expect(Object.keys(ends)).toEqual(
    expect.arrayContaining(["changed: refused", "changed: damaged", "cut: refused"]),
  );
});
