import { copyFileSync, existsSync, mkdirSync, readFileSync, rmdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { openRevocationFile } from "../../src/store/local/revocation-file.ts";
import type { RevokedRecord } from "../../src/store/local/revocation-lines.ts";
import { sized } from "../proofs/size.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const COUNT = sized(20_000, 50_000);
const until = Date.now() + 3_600_000;
const placeAt = (revision: number) => ({ revision, id: `id-${revision}`, log: "log" });
const revoked = (key: string, revision: number): RevokedRecord => {
  return { partition: "user", key, state: null, revision, until };
};
const many = (revision: number) =>
  Array.from({ length: COUNT }, (_, index) => revoked(`u${index}`, revision));
const pathOfFile = () => join(temporaryFolder(), "store.revocations");

/** Looks in each turn of the event loop, until the test is over. */
function lookEachTurn(look: () => void): void {
  const turn = (): void => {
    look();
    if (!isOver) setImmediate(turn);
  };
  let isOver = false;
  setImmediate(turn);
  onTestFinished(() => {
    isOver = true;
  });
}

it("many revocations are noted in turns with other work, and their position comes last", async () => {
  const path = pathOfFile();
  const file = openRevocationFile({ path });
  await file.note(placeAt(1), [revoked("first", 1)]);
  let isNoted = false;
  const seen: string[] = [];
  lookEachTurn(() => {
    if (!isNoted) seen.push(readFileSync(path, "utf8").trimEnd());
  });
  await file.note(placeAt(2), many(2));
  isNoted = true;
  await file.close();
  expect(seen.length).toBeGreaterThan(1);
  // A process that ends meanwhile leaves some of them, and the position before.
  for (const text of seen) expect(text.includes("id-2")).toBe(false);
  const again = openRevocationFile({ path });
  expect(again.place).toEqual(placeAt(2));
  expect(again.records()).toHaveLength(COUNT + 1);
  expect(readFileSync(path, "utf8").trimEnd().split("\n").at(-1)).toContain("id-2");
});

it("is written anew in turns with other work, while more is noted; whenever the process ends, nothing noted is lost", async () => {
  const path = pathOfFile();
  const file = openRevocationFile({ path });
  await file.note(placeAt(1), many(1));
  await file.close();
  const { size, ino } = statSync(path);
  // So much that all is written anew.
  const long = { ...revoked("long", 2), state: "x".repeat(2 * size + (2 << 20)) };
  await file.note(placeAt(2), [long]);
  let revision = 2;
  const left: string[] = [];
  for (; statSync(path).ino === ino; await nextTurn()) {
    // What is noted meanwhile does not wait, and is in the file at once.
    await file.note(placeAt(++revision), [revoked(`u${revision}`, revision)]);
    if (revision % 10 !== 0) continue;
    left.push(`${path}.${revision}`);
    copyFileSync(path, `${path}.${revision}`);
  }
  await file.close();
  expect(left.length).toBeGreaterThan(1);
  for (const copy of left) {
    const found = openRevocationFile({ path: copy });
    expect(found.place?.revision).toBe(Number(copy.split(".").at(-1)));
    expect(found.records()).toHaveLength(COUNT + 1);
  }
  const again = openRevocationFile({ path });
  expect(again.place).toEqual(placeAt(revision));
  expect(again.records()).toEqual(file.records());
  expect(existsSync(`${path}.new`)).toBe(false);
});

it("drops the oldest where all is too much, and says so", async () => {
  const path = pathOfFile();
  const errors: object[] = [];
  const log = { info: () => {}, error: (fields: object) => errors.push(fields) };
  const file = openRevocationFile({ path, log, mostBytes: 100_000 });
  // The first is revoked again last.
  await file.note(placeAt(1), [...many(1), revoked("u0", 2)]);
  await file.close();
  expect(errors[0]).toMatchObject({ path, dropped: { user: expect.any(Number) } });
  const kept = openRevocationFile({ path }).records();
  expect(kept.length).toBeLessThan(COUNT);
  expect(kept.at(-1)).toMatchObject({ key: "u0", revision: 2 });
  expect(file.get({ partition: "user", key: "u1" })).toBeUndefined();
});

it("goes on with the old file where a new one cannot be written, says it once, and tries again", async () => {
  const path = pathOfFile();
  const errors: string[] = [];
  const log = { info: () => {}, error: (_fields: object, message: string) => errors.push(message) };
  const file = openRevocationFile({ path, log });
  mkdirSync(`${path}.new`);
  await file.note(placeAt(1), many(1));
  await file.close();
  await file.note(placeAt(2), [revoked("u0", 2)]);
  await file.close();
  expect(errors).toEqual([expect.stringContaining("cannot be written")]);
  expect(openRevocationFile({ path }).records()).toHaveLength(COUNT);
  const before = statSync(path).size;
  rmdirSync(`${path}.new`);
  await file.note(placeAt(3), [revoked("u0", 3)]);
  await file.close();
  expect(statSync(path).size).toBeLessThan(before);
  const again = openRevocationFile({ path });
  expect(again.get({ partition: "user", key: "u0" })?.revision).toBe(3);
  expect(again.records()).toHaveLength(COUNT);
});
