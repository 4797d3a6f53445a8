// Compiles sources to JavaScript with types. Node refuses to strip types below node_modules, so what people install is
// compiled; the clone itself runs its sources unbuilt.

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** Stops the build with one line. */
export function fail(message) {
  process.stderr.write(`build: ${message}\n`);
  process.exit(1);
}

/** Packages of this clone whose sources others compile in. */
const COMPILED_IN = ["policy", "commands", "client", "svcctl", "svcctl-metastore"];
/** Through its link below node_modules the compiler would take a package for somebody else's, and write nothing. */
const PATHS = Object.fromEntries(
  COMPILED_IN.map((name) => [`@svc-authorizer/${name}/*.ts`, [`./packages/${name}/src/*.ts`]]),
);

/**
 * Writes the compiled sources below `out`, each at its place in the clone: `src/…`, `packages/policy/src/…`. Packages
 * of the clone are named by their paths there, since nobody installs them beside.
 * @param {string} out
 * @param {{include?: readonly string[], files?: readonly string[], types?: readonly string[], lib?: readonly string[]}} [options]
 *   folders, or entries with all that they import; the environment that the sources may know, for packages that run elsewhere than in Node
 */
export function compile(out, { include = [], files = [], types, lib }) {
  const tsc = join(
    dirname(createRequire(join(root, "package.json")).resolve("typescript/package.json")),
    "bin",
    "tsc",
  );
  const project = join(root, `tsconfig.${process.pid}.tmp.json`);
  const compilerOptions = { paths: PATHS, ...(types && { types }), ...(lib && { lib }) };
  writeFileSync(
    project,
    JSON.stringify({ extends: "./tsconfig.build.json", compilerOptions, include, files }),
  );
  try {
    const args = [tsc, "-p", project, "--outDir", out];
    const { status } = spawnSync(process.execPath, args, { stdio: "inherit", cwd: root });
    if (status !== 0) fail("the compiler reported problems");
  } finally {
    rmSync(project);
  }
  for (const name of compiledFiles(out)) {
    const file = join(out, name);
    const text = readFileSync(file, "utf8");
    const named = text.replace(OWN_PACKAGE, (whole, quote, name, path) => {
      if (!COMPILED_IN.includes(name)) return whole;
      const target = relative(dirname(file), join(out, "packages", name, "src", path));
      return `${quote}${target.startsWith(".") ? target : `./${target}`}.js${quote}`;
    });
    if (named !== text) writeFileSync(file, named);
  }
}

const OWN_PACKAGE = /(["'])@svc-authorizer\/([\w-]+)\/([\w./-]+)\.ts\1/g;

/** Compiled files and their types below a folder. */
function compiledFiles(out) {
  const files = readdirSync(out, { recursive: true, encoding: "utf8" });
  return files.filter((file) => !file.includes("node_modules") && /\.(?:js|d\.ts)$/.test(file));
}

const IMPORT =
  /(?:\bfrom|\bimport|\bcreateRequire\(import\.meta\.url\))\s*\(?\s*["'](?<name>@[\w.-]+\/[\w.-]+|[\w.-]+)(?:\/[^"']*)?["']/g;

const manifestOf = (folder) => JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));

/** The dependencies of the service and of the packages compiled in, without those of this clone, by name. */
export const DEPENDENCIES = Object.fromEntries(
  [".", ...COMPILED_IN.map((name) => `packages/${name}`)]
    .flatMap((folder) => Object.entries(manifestOf(folder).dependencies ?? {}))
    .filter(([name]) => !name.startsWith("@svc-authorizer/"))
    .sort(([a], [b]) => (a < b ? -1 : 1)),
);

/** Names of the packages that compiled sources import, sorted. Built-in modules have their prefix and do not count. */
export function packagesOf(out) {
  const names = compiledFiles(out)
    .flatMap((file) => [...readFileSync(join(out, file), "utf8").matchAll(IMPORT)])
    .map((match) => match.groups.name);
  return [...new Set(names)].filter((name) => name in DEPENDENCIES).sort();
}
