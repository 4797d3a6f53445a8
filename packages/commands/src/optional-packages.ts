/** Packages that nobody needs but for one purpose: they are installed beside ours, and loaded where they are asked for. */

import { existsSync, readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";

const MANIFEST = new URL("../../../package.json", import.meta.url);
const MODULES = "/node_modules/";

/**
 * Says what is not installed and how it is installed, as the end of a sentence: "needs …".
 * @returns undefined if all are there
 */
export function missingPackages(names: readonly string[]): string | undefined {
  const ranges = wantedVersions();
  const missing = names.filter((name) => !isInstalled(name, ranges[name]));
  if (missing.length === 0) return undefined;
  const wanted = missing.map((name) => (ranges[name] === undefined ? name : `${name}@${ranges[name]}`));
  const what = missing.length === 1 ? "a package that is" : "packages that are";
  return `needs ${what} not installed: npm install ${isGlobal() ? "--global " : ""}${wanted.join(" ")}`;
}

/**
 * Refuses what cannot be loaded.
 * @param purpose subject of the sentence, such as a configuration item
 * @throws AuthorizerError "invalid_request" that names every missing package and the command that installs them
 */
export function assertInstalled(purpose: string, names: readonly string[]): void {
  const missing = missingPackages(names);
  if (missing !== undefined) throw new AuthorizerError("invalid_request", `${purpose} ${missing}`);
}

/** True for a package that is there, in the very version where one is wanted; npm itself warns about ranges. */
function isInstalled(name: string, wanted: string | undefined): boolean {
  try {
    const path = findPackageJSON(name, import.meta.url);
    if (path === undefined) return false;
    return !/^\d/.test(wanted ?? "") || JSON.parse(readFileSync(path, "utf8")).version === wanted;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND") return false;
    throw error;
  }
}

/** Versions of packages that fit this one, by name. */
function wantedVersions(): Readonly<Record<string, string>> {
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(MANIFEST, "utf8"));
  return { ...dependencies, ...peerDependencies };
}

/** True below a `node_modules` that belongs to no project, as npm makes it for programs of a whole machine. */
function isGlobal(): boolean {
  const { href } = MANIFEST;
  const at = href.indexOf(MODULES);
  return at >= 0 && !existsSync(new URL("package.json", href.slice(0, at + 1)));
}
