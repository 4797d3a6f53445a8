/**
 * Prepares and checks a release, up to what only a registry can do. CONTRIBUTING.md describes the steps around it.
 *
 * usage: npm run release [-- [VERSION] [--dry-run | --check]]
 *   VERSION     default: the next minor version
 *   --dry-run   changes no file of the clone
 *   --check     for the version that the clone has, as the workflow does
 */

import { type SpawnSyncOptions, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { parseArgs } from "node:util";
import { type Change, changeFiles, readChanges, withRelease } from "./changes.ts";
import { publishProblems } from "./workflow-publishes.ts";

const root = join(import.meta.dirname, "..");
const WORKFLOW = ".github/workflows/release.yml";
const BIN = join(root, "node_modules", ".bin");
/** The oldest Node that the client runs on. */
const OLDEST = "20";

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { "dry-run": { type: "boolean", default: false }, check: { type: "boolean", default: false } },
});
const manifestIn = (folder: string) => JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
const present: string = manifestIn(".").version;
const version = positionals[0] ?? (flags.check ? present : nextMinor(present));
const out = join(root, "dist", "release");
const scratch = mkdtempSync(join(tmpdir(), "svc-authorizer-release-"));

function nextMinor(of: string): string {
  const [major, minor] = of.split(".").map(Number) as [number, number];
  return `${major}.${minor + 1}.0`;
}

/** Ends the release with what is wrong. */
class Stopped extends Error {}

function run(program: string, args: readonly string[], options: SpawnSyncOptions = {}): string {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    ...options,
  });
  if (status !== 0) throw new Stopped(`${program} ${args.join(" ")}\n${stdout ?? ""}${stderr ?? ""}`);
  return String(stdout ?? "");
}

function stopWith(problems: readonly string[]): void {
  if (problems.length > 0) throw new Stopped(problems.join("\n"));
}

const tarballs = (): string[] => readdirSync(out).filter((name) => name.endsWith(".tgz"));

/** The notes of changes, valid, and at least one thing to release. */
function readNotes(): readonly Change[] {
  const { changes, problems } = readChanges(changeFiles());
  stopWith(problems);
  return changes;
}

/** Writes versions, lock file and changelog into the clone, and removes the notes. */
function prepare(changes: readonly Change[]): void {
  const folders = [".", ...readdirSync(join(root, "packages")).map((name) => join("packages", name))];
  for (const folder of folders) {
    const manifest = { ...manifestIn(folder), version };
    writeFileSync(join(root, folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  }
  run("npm", ["install", "--package-lock-only", "--no-audit", "--no-fund"]);
  run(process.execPath, ["build/complete-lock.mjs"]);
  writeFileSync(join(root, "CHANGELOG.md"), gathered(changes));
  for (const { file } of changes) rmSync(join(root, "changes", file));
}

function gathered(changes: readonly Change[]): string {
  const date = new Date().toISOString().slice(0, "2026-01-01".length);
  return withRelease(readFileSync(join(root, "CHANGELOG.md"), "utf8"), changes, version, date);
}

/** Packs every package with the version; the tarballs say it too. */
function pack(): void {
  run(process.execPath, ["build/pack.mjs", out], { env: { ...process.env, RELEASE_VERSION: version } });
  const wrong = tarballs().filter((name) => packed(name).version !== version);
  stopWith(wrong.map((name) => `${name} has another version than ${version}`));
  const unsigned = tarballs().filter((name) => packed(name).publishConfig?.provenance !== true);
  stopWith(unsigned.map((name) => `${name} does not ask for provenance`));
}

const packed = (name: string) => JSON.parse(run("tar", ["-xOzf", join(out, name), "package/package.json"]));

/** The linters of packages on every tarball. */
function lintPackages(): void {
  for (const name of tarballs()) {
    run(join(BIN, "publint"), [join(out, name), "--strict"]);
    run(join(BIN, "attw"), [join(out, name), "--profile", "esm-only"]);
  }
}

/** A Node of the oldest line, from npm. */
function oldestNode(): string {
  const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const args = [
    "install",
    "--prefix",
    scratch,
    "--no-audit",
    "--no-fund",
    "--ignore-scripts",
    `${name}@${OLDEST}`,
  ];
  run("npm", args);
  const node = join(scratch, "node_modules", name, "bin", "node");
  const found = run(node, ["--version"]).trim();
  if (!found.startsWith(`v${OLDEST}.`)) throw new Stopped(`${name}@${OLDEST} is ${found}`);
  return node;
}

/** Installs the very tarballs in empty folders, and uses them as their pages say. */
function tryPackages(): void {
  const env = {
    ...process.env,
    PATH: `${BIN}${delimiter}${process.env["PATH"]}`,
    PACKED: out,
    OLDEST_NODE: oldestNode(),
    RELEASE_VERSION: version,
  };
  run(process.execPath, [join(root, "node_modules", "vitest", "vitest.mjs"), "run", "test/packages"], {
    env,
  });
}

/** Each bill names all that its package needs. */
function checkBills(): void {
  for (const name of tarballs()) {
    const { dependencies = {} } = packed(name);
    const bill = JSON.parse(readFileSync(join(out, name.replace(/\.tgz$/, ".cdx.json")), "utf8"));
    const listed = new Set(
      bill.components.map(({ purl }: { purl: string }) =>
        decodeURIComponent(purl).split("@").slice(0, -1).join("@"),
      ),
    );
    const missing = Object.keys(dependencies).filter((one) => !listed.has(`pkg:npm/${one}`));
    stopWith(missing.map((one) => `the bill of ${name} lacks ${one}`));
  }
}

/** SHA-256 of every file, in the form that `sha256sum --check` reads. */
function writeChecksums(): void {
  const lines = readdirSync(out)
    .filter((name) => name !== "SHA256SUMS")
    .sort()
    .map(
      (name) =>
        `${createHash("sha256")
          .update(readFileSync(join(out, name)))
          .digest("hex")}  ${name}\n`,
    );
  writeFileSync(join(out, "SHA256SUMS"), lines.join(""));
}

async function checkWorkflow(): Promise<void> {
  const { PACKAGES } = (await import("./packages.mjs" as string)) as { PACKAGES: object };
  const text = readFileSync(join(root, WORKFLOW), "utf8");
  stopWith(publishProblems(text, Object.keys(PACKAGES)).map((problem) => `${WORKFLOW}: ${problem}`));
}

let changes: readonly Change[] = [];
const STEPS: readonly (readonly [name: string, work: () => void | Promise<void>])[] = [
  [
    "the notes of changes can be gathered",
    () => {
      changes = readNotes();
    },
  ],
  [`${WORKFLOW} publishes all packages with provenance`, checkWorkflow],
  ...(flags["dry-run"] || flags.check
    ? []
    : [["versions, lock file and changelog are written", () => prepare(changes)] as const]),
  ["the packages are packed", pack],
  ["publint and attw find nothing", lintPackages],
  ["the bills of materials are complete", checkBills],
  [`the client works on Node ${OLDEST} and 24, the rest on 24, each in an empty folder`, tryPackages],
  ["checksums are written", writeChecksums],
];

process.stdout.write(`release ${version}${flags["dry-run"] ? " (dry run)" : ""}\n`);
try {
  for (const [name, work] of STEPS) {
    const before = performance.now();
    await work();
    process.stdout.write(`ok  ${name} (${Math.ceil((performance.now() - before) / 1_000)} s)\n`);
  }
  if (flags["dry-run"]) writeFileSync(join(out, "CHANGELOG.md"), gathered(changes));
  process.stdout.write(
    `not done, only a registry can: publish. Commit, and push the tag v${version}: ${WORKFLOW} repeats these checks and publishes ${out}/*.tgz with provenance\n`,
  );
} catch (error) {
  if (!(error instanceof Stopped)) throw error;
  process.stderr.write(`release: ${error.message.trim()}\n`);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
