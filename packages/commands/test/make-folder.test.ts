/** Tests that folders are made, and that a place without room for them is an error at once. */
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "@svc-authorizer/commands/make-folder.ts";
import { expect, it } from "vitest";
import { rotatingTarget } from "../../../src/observe/output/rotating-target.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

it("makes what is missing with the mode, and says where it began", () => {
  const folder = temporaryFolder();
  const target = join(folder, "a", "b", "c");
  expect(makeFolder(target, 0o700)).toBe(join(folder, "a"));
  expect(statSync(target).mode & 0o777).toBe(0o700);
  expect(makeFolder(target)).toBeUndefined();
});

it("throws where a file stands in the way", () => {
  const file = join(temporaryFolder(), "file");
  writeFileSync(file, "");
  expect(() => makeFolder(file)).toThrow("EEXIST");
  expect(() => makeFolder(join(file, "below"))).toThrow(/EEXIST|ENOTDIR/);
});

it.runIf(existsSync("/proc/self"))("throws below a folder that takes none", () => {
  expect(() => makeFolder("/proc/none/below")).toThrow("ENOENT");
});

it.runIf(existsSync("/proc/self"))("a log file below a folder that takes none is an error, too", async () => {
  const target = rotatingTarget("/proc/none/server.log", { maxBytes: 1_000, keep: 1 });
  await expect(target.write("line\n")).rejects.toThrow("ENOENT");
  await target.close();
});
