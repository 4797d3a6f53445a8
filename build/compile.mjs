// Compiles sources to JavaScript with types. Node refuses to strip types below node_modules, so what people install is
// compiled; the clone itself runs its sources unbuilt.

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** Stops the build with one line. */
export function fail(message) {
  process.stderr.write(`build: ${message}\n`);
  process.exit(1);
}

/**
 * Writes `out/src`: all sources, or those that the entries import.
 * @param {string} out
 * @param {{entries?: readonly string[], types?: readonly string[], lib?: readonly string[]}} [options] entries below
 *   `src`; the environment that the sources may know, for packages that run elsewhere than in Node
 */
export function compile(out, { entries, types, lib } = {}) {
  const tsc = join(
    dirname(createRequire(join(root, "package.json")).resolve("typescript/package.json")),
    "bin",
    "tsc",
  );
  const project = join(root, `tsconfig.${process.pid}.tmp.json`);
  const wanted = entries === undefined ? {} : { include: [], files: entries.map((entry) => `src/${entry}`) };
  const compilerOptions = { ...(types && { types }), ...(lib && { lib }) };
  writeFileSync(project, JSON.stringify({ extends: "./tsconfig.build.json", compilerOptions, ...wanted }));
  try {
    const args = [tsc, "-p", project, "--outDir", join(out, "src")];
    const { status } = spawnSync(process.execPath, args, { stdio: "inherit", cwd: root });
    if (status !== 0) fail("the compiler reported problems");
  } finally {
    rmSync(project);
  }
}

const IMPORT =
  /(?:\bfrom|\bimport|\bcreateRequire\(import\.meta\.url\))\s*\(?\s*["'](?<name>@[\w.-]+\/[\w.-]+|[\w.-]+)(?:\/[^"']*)?["']/g;

/** Names of the packages that compiled sources import, sorted. Built-in modules have their prefix and do not count. */
export function packagesOf(out) {
  const files = readdirSync(join(out, "src"), { recursive: true, encoding: "utf8" });
  const names = files
    .filter((file) => /\.(?:js|d\.ts)$/.test(file))
    .flatMap((file) => [...readFileSync(join(out, "src", file), "utf8").matchAll(IMPORT)])
    .map((match) => match.groups.name);
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return [...new Set(names)].filter((name) => name in dependencies).sort();
}
