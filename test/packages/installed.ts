/** Packs packages and installs one into an empty folder, as people do. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { madeOnce } from "../made-once.ts";

/** The clone. */
export const ROOT = join(import.meta.dirname, "..", "..");
/** Programs of the clone, its Node among them. */
export const CLONE_BIN = join(ROOT, "node_modules", ".bin");

/** Returns the environment that people have: this clone's Node in PATH, and nothing of the npm run of the tests. */
export function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|NODE_(?:OPTIONS|COMPILE_CACHE)|VITEST|SVC_)/.test(name),
  );
  return {
    ...Object.fromEntries(kept),
    PATH: `${CLONE_BIN}${delimiter}${process.env["PATH"]}`,
    // By `npm run typecheck`.
    TYPES_ARE_CHECKED: "1",
  };
}

/**
 * Runs a command to its end and returns what it printed.
 * @throws with all that it printed where it fails
 */
export function command(cwd: string, program: string, ...args: string[]): string {
  const run = spawnSync(program, args, { cwd, env: environment(), encoding: "utf8" });
  if (run.status !== 0)
    throw new Error(`${program} ${args.join(" ")}: ${run.error ?? ""}${run.stdout}${run.stderr}`);
  return run.stdout;
}

/** Returns the parsed `package.json` of a folder. */
export const manifestOf = (path: string) => JSON.parse(readFileSync(join(path, "package.json"), "utf8"));

/** Version of the packages: that of the clone, or of the release that is tried. */
export const VERSION: string = process.env["RELEASE_VERSION"] ?? manifestOf(ROOT).version;

/** A folder in which packages are installed. */
export interface Consumer {
  readonly folder: string;
  /** Folder of the tarballs. */
  readonly packages: string;
  remove(): void;
}

/** A published package, by its short name. */
type PackageName = "client" | "server" | "svcctl" | "svcctl-metastore" | "testing";

/** The folder with the tarballs of the named packages, which are packed where no other file of the run has done it. */
export function packed(...names: readonly PackageName[]): string {
  return madeOnce(names.join("+"), (out) => command(ROOT, process.execPath, "build/pack.mjs", out, ...names));
}

/** Packs the named packages and installs the first into an empty project. */
export function installPackages(name: PackageName, ...others: readonly PackageName[]): Consumer {
  const base = mkdtempSync(join(tmpdir(), "packages-"));
  // A release has its tarballs tried, and no others like them.
  const packages = process.env["PACKED"] ?? packed(name, ...others);
  const folder = join(base, "consumer");
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), '{"name":"consumer","private":true,"type":"module"}');
  install(folder, join(packages, `${name}.tgz`));
  return { folder, packages, remove: () => rmSync(base, { recursive: true, force: true }) };
}

/** Adds packages to a project: tarballs, or names with versions. */
export function install(folder: string, ...wanted: readonly string[]): void {
  command(folder, "npm", "install", "--no-audit", "--no-fund", "--prefer-offline", ...wanted);
}

/** The packages that an installation brought, ours among them, and the megabytes of those of others. */
export function weigh(folder: string): { readonly packages: number; readonly megabytes: number } {
  const lock = JSON.parse(readFileSync(join(folder, "node_modules", ".package-lock.json"), "utf8"));
  const sizes = ["node_modules", "node_modules/@svc-authorizer"].map((path) =>
    Number.parseInt(command(folder, "du", "-sk", path), 10),
  );
  const [all = Number.NaN, ours = Number.NaN] = sizes;
  return { packages: Object.keys(lock.packages).length, megabytes: (all - ours) / 1024 };
}

/** Fails where the linters of packages find something in a tarball. */
export function checkTarball(consumer: Consumer, name: string): void {
  const tarball = join(consumer.packages, `${name}.tgz`);
  command(ROOT, join(CLONE_BIN, "publint"), tarball, "--strict");
  command(ROOT, join(CLONE_BIN, "attw"), tarball, "--profile", "esm-only");
}

/** The oldest Node that a release is tried with, else the machine's own beside the clone's; undefined where there is none. */
export function machinesNode(): string | undefined {
  if (process.env["OLDEST_NODE"] !== undefined) return process.env["OLDEST_NODE"];
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders
    .filter((one) => !one.includes("node_modules"))
    .map((one) => join(one, "node"))
    .find(existsSync);
}
