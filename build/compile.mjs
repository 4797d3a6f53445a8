// Compiles sources to JavaScript. Node refuses to strip types below node_modules, so what people install is compiled;
// the clone itself runs its sources unbuilt.

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** Stops the build with one line. */
export function fail(message) {
  process.stderr.write(`build: ${message}\n`);
  process.exit(1);
}

/** Scope of the packages of this clone. */
export const SCOPE = "@svc-authorizer/";
/** Folders of the packages of this clone. */
const WORKSPACE = readdirSync(join(root, "packages"));
/** Through its link below node_modules the compiler would take a package for somebody else's, and write nothing. */
const PATHS = Object.fromEntries(
  WORKSPACE.map((name) => [`${SCOPE}${name}/*.ts`, [`./packages/${name}/src/*.ts`]]),
);

/**
 * Writes the compiled sources below `out`, each at its place in the clone: `src/…`, `packages/policy/src/…`. Packages
 * of the clone are named by their paths there, but for those that people install beside. Types are checked, but those of
 * sources for Node where `TYPES_ARE_CHECKED=1` says that somebody has done it.
 * @param {string} out
 * @param {{include?: readonly string[], files?: readonly string[], types?: readonly string[], lib?: readonly string[],
 *   beside?: readonly string[], declaration?: boolean, places?: Record<string, string>}} [options]
 *   folders, or entries with all that they import; the environment that the sources may know, for packages that run
 *   elsewhere than in Node; names of the packages that are installed beside; false
 *   writes no types, which nobody can import of a package without modules; folders of packages in place of the clone's
 */
export function compile(
  out,
  { include = [], files = [], types, lib, beside = [], declaration = true, places = {} },
) {
  const tsc = join(
    dirname(createRequire(join(root, "package.json")).resolve("typescript/package.json")),
    "bin",
    "tsc",
  );
  const project = join(root, `tsconfig.${process.pid}.tmp.json`);
  // What runs elsewhere than in Node is checked here alone.
  const noCheck = process.env["TYPES_ARE_CHECKED"] === "1" && types === undefined && lib === undefined;
  const compilerOptions = {
    paths: PATHS,
    declaration,
    noCheck,
    ...(types && { types }),
    ...(lib && { lib }),
  };
  writeFileSync(
    project,
    JSON.stringify({ extends: "./tsconfig.build.json", compilerOptions, include, files }),
  );
  const args = [tsc, "-p", project, "--outDir", out];
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit", cwd: root });
  rmSync(project);
  if (status !== 0) fail("the compiler reported problems");
  const placeOf = (name) => join(out, places[name] ?? join("packages", name, "src"));
  for (const name of Object.keys(places)) {
    const from = join(out, "packages", name, "src");
    if (existsSync(from)) cpSync(from, placeOf(name), { recursive: true });
    rmSync(dirname(from), { recursive: true, force: true });
  }
  for (const name of compiledFiles(out)) {
    const file = join(out, name);
    const text = readFileSync(file, "utf8");
    const named = text.replace(OWN_PACKAGE, (_, quote, name, path) => {
      if (beside.includes(name)) return `${quote}${SCOPE}${name}/${path}${quote}`;
      const target = relative(dirname(file), join(placeOf(name), path));
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
  /(?:\bfrom|\bimport|\bcreateRequire\(import\.meta\.url\))\s*\(?\s*["'](?<name>@[\w.-]+\/[\w.-]+|[\w.-]+)(?<path>\/[^"']*)?["']/g;

/** All packages that the clone has installed: other names stand in texts, and are no imports. */
export const LOCK = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;

/** Packages that compiled sources import: names with the paths in them. */
export function importsOf(out) {
  const found = new Map();
  for (const file of compiledFiles(out)) {
    for (const { groups } of readFileSync(join(out, file), "utf8").matchAll(IMPORT)) {
      const { name, path = "" } = groups;
      if (`node_modules/${name}` in LOCK) found.set(name, (found.get(name) ?? new Set()).add(path));
    }
  }
  return found;
}
