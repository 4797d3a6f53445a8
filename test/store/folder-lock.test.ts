import { existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it, vi } from "vitest";
import { HOLDER_FILE, LOCK_FILE, lockFolder } from "../../src/store/local/folder-lock.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { unavailable } from "./unavailable.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

it("can be held once in a process, and again after its release", () => {
  const lock = lockFolder(folder);
  expect(() => lockFolder(folder)).toThrow(unavailable(/in use by this process/));
  lock.release();
  lock.release();
  const second = lockFolder(folder);
  lock.release();
  expect(() => lockFolder(folder)).toThrow(unavailable(/in use by this process/));
  second.release();
});

it("needs no room on the disk: there is no journal, and the lock file stays empty", () => {
  const lock = lockFolder(folder);
  expect(readdirSync(folder).sort()).toEqual([LOCK_FILE, HOLDER_FILE].sort());
  expect(statSync(join(folder, LOCK_FILE)).size).toBe(0);
  lock.release();
});

it("is the same lock under another name of the folder", () => {
  const lock = lockFolder(folder);
  const alias = `${folder}-alias`;
  symlinkSync(folder, alias);
  expect(() => lockFolder(alias)).toThrow(unavailable(/alias is in use/));
  rmSync(alias);
  lock.release();
});

it("says who holds it, in files of its own user, and no longer after the release", () => {
  const lock = lockFolder(folder);
  expect(readFileSync(join(folder, HOLDER_FILE), "utf8")).toMatch(new RegExp(`^${process.pid} \\S+\n$`));
  for (const name of [LOCK_FILE, HOLDER_FILE]) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  lock.release();
  expect(existsSync(join(folder, HOLDER_FILE))).toBe(false);
});

it("tells of a lock file that is damaged", () => {
  writeFileSync(join(folder, LOCK_FILE), "not a lock file".repeat(100));
  expect(() => lockFolder(folder)).toThrow(unavailable(/store\.lock cannot be used/));
});

it("lets warnings of others pass, and gives none of its own", () => {
  const warned: string[] = [];
  const spy = vi.spyOn(process, "emitWarning").mockImplementation((warning) => {
    warned.push(String(warning));
  });
  const emitWarning = process.emitWarning;
  lockFolder(folder).release();
  expect(process.emitWarning).toBe(emitWarning);
  process.emitWarning("somebody else's");
  expect(warned).toEqual(["somebody else's"]);
  spy.mockRestore();
});
