// Writes dist/: the package as it is published. Node refuses to strip types below node_modules, so what
// people install is JavaScript; the clone itself runs its sources unbuilt.
//
// usage: node build/build.mjs [output folder, default dist]

import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const out = resolve(process.argv[2] ?? join(root, "dist"));

/** Beside the compiled sources. Paths below these keep their place, so that code finds them from either tree. */
const COPIED = [
  "bin",
  "policies",
  "fixtures/datasets",
  "README.md",
  "LICENSE",
  "CHANGELOG.md",
  "SECURITY.md",
];

/** Fields that the published manifest takes over unchanged. Scripts, development and platform packages stay behind. */
const KEPT = [
  "name",
  "version",
  "description",
  "keywords",
  "license",
  "homepage",
  "repository",
  "bugs",
  "type",
  "engines",
  "bin",
  "dependencies",
];

/** Stops the build with one line. */
function fail(message) {
  process.stderr.write(`build: ${message}\n`);
  process.exit(1);
}

function compile() {
  const tsc = join(
    dirname(createRequire(join(root, "package.json")).resolve("typescript/package.json")),
    "bin",
    "tsc",
  );
  const args = [tsc, "-p", join(root, "tsconfig.build.json"), "--outDir", join(out, "src")];
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit", cwd: root });
  if (status !== 0) fail("the compiler reported problems");
}

/** Among the data sets are broken ones for tests, and programs that generate large ones. */
function isShipped(path) {
  return !path.endsWith(".ts") && basename(path) !== "invalid";
}

function copy() {
  for (const path of COPIED) {
    if (!existsSync(join(root, path))) fail(`${path} is missing`);
    mkdirSync(dirname(join(out, path)), { recursive: true });
    cpSync(join(root, path), join(out, path), { recursive: true, filter: isShipped });
  }
}

/** An entry of `exports`: what pointed to a source points to its JavaScript and its types. */
function publishedEntry(target) {
  if (!target.endsWith(".ts")) return target;
  const base = target.slice(0, -".ts".length);
  return { types: `${base}.d.ts`, default: `${base}.js` };
}

function manifest() {
  const source = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const published = Object.fromEntries(KEPT.filter((key) => key in source).map((key) => [key, source[key]]));
  published.exports = Object.fromEntries(
    Object.entries(source.exports).map(([name, target]) => [name, publishedEntry(target)]),
  );
  published.files = ["src", ...COPIED];
  return published;
}

/** Every file the manifest names is there, and the programs can be run. */
function check(published) {
  const entries = Object.values(published.exports).flatMap((entry) =>
    typeof entry === "string" ? [entry] : Object.values(entry),
  );
  for (const path of [...Object.values(published.bin), ...entries]) {
    if (!existsSync(join(out, path))) fail(`package.json names ${path}, which the build did not make`);
  }
  for (const path of Object.values(published.bin)) chmodSync(join(out, path), 0o755);
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
compile();
copy();
const published = manifest();
writeFileSync(join(out, "package.json"), `${JSON.stringify(published, null, 2)}\n`);
check(published);
