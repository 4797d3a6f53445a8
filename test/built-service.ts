/**
 * The service that tests start as a process is built once for its sources: it starts in three quarters of the CPU time, and
 * the tests start it many hundred times. `SERVICE_MAIN` names its entry. The console that it serves is built, too.
 */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
/** Packages are found above it, as the clone has them. */
const FOLDER = join(ROOT, "node_modules", ".cache", "service-for-tests");
const INPUTS = [
  "src/**/*.ts",
  "packages/{policy,commands}/src/**/*.ts",
  "build/*.mjs",
  "package-lock.json",
  "tsconfig*.json",
];
/** Builds that stay: a branch and another one. */
const KEPT = 3;

/** Called once before the tests. */
export default function buildService(): void {
  const hash = createHash("sha256");
  for (const name of globSync(INPUTS, { cwd: ROOT }).sort()) {
    if (!name.includes(".tmp.")) hash.update(`${name}\0`).update(readFileSync(join(ROOT, name)));
  }
  mkdirSync(FOLDER, { recursive: true });
  const built = join(FOLDER, hash.digest("hex").slice(0, 16));
  if (!existsSync(built)) build(built);
  run("console.mjs");
  process.env["SERVICE_MAIN"] = join(built, "src", "main.js");
}

/** Runs a program of the build. */
function run(program: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, "build", program), ...args], {
    encoding: "utf8",
    env: { ...process.env, TYPES_ARE_CHECKED: "1" },
  });
  if (status !== 0) throw new Error(`${program}: ${stderr}`);
}

function build(built: string): void {
  const older = readdirSync(FOLDER).map((name) => join(FOLDER, name));
  const newestFirst = older.toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  for (const folder of newestFirst.slice(KEPT - 1)) rmSync(folder, { recursive: true, force: true });
  const work = mkdtempSync(join(FOLDER, "new-"));
  run("service-for-tests.mjs", work);
  try {
    renameSync(work, built);
  } catch (error) {
    // Somebody else was faster.
    rmSync(work, { recursive: true });
    if (!existsSync(built)) throw error;
  }
}
