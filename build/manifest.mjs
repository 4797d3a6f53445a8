// The manifests of the published packages: common facts from the clone's package.json, the rest from the package.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundledInto } from "./bundle.mjs";
import { fail, importsOf, root, SCOPE } from "./compile.mjs";

/** The facts that every package takes over. Scripts, development and platform packages stay behind. */
const COMMON = ["version", "license", "homepage", "repository", "bugs", "type"];

/** The manifest of a folder of the clone. */
export const manifestOf = (folder) => JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));

/** The clone's manifest, with the version of a release that is tried (`build/release.ts`). */
const clone = manifestOf(".");
export const source = { ...clone, version: process.env.RELEASE_VERSION ?? clone.version };

/** `exports` of sources, given by their paths in the package: JavaScript with types. */
export function exportsOf(entries) {
  const of = (path) => {
    const base = `./${path.slice(0, -".ts".length)}`;
    return { types: `${base}.d.ts`, default: `${base}.js` };
  };
  return {
    ...Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, of(path)])),
    "./package.json": "./package.json",
  };
}

/**
 * The packages that compiled sources import, with the versions of the manifests that they come from. One that
 * `peerDependenciesMeta` of these manifests calls optional is for those who install it, and so are packages beside. Those
 * that are bundled are none.
 * @param {string} out the compiled sources
 * @param {readonly string[]} folders of the clone that were compiled; the first is the package itself
 */
export function dependenciesOf(out, folders) {
  const manifests = folders.map(manifestOf);
  const versions = Object.assign({}, ...manifests.map(({ dependencies }) => dependencies));
  const optional = Object.assign({}, ...manifests.map((one) => one.peerDependenciesMeta));
  const required = manifests[0].peerDependencies ?? {};
  const names = [...importsOf(out).keys()].sort();
  const found = { dependencies: {}, peerDependencies: {}, peerDependenciesMeta: {} };
  for (const name of names) {
    const version = name.startsWith(SCOPE) ? source.version : versions[name];
    if (version === undefined) fail(`${folders[0]} imports ${name}, which is not among its dependencies`);
    const isPeer = name in optional || name in required;
    (isPeer ? found.peerDependencies : found.dependencies)[name] = version;
    if (name in optional) found.peerDependenciesMeta[name] = optional[name];
  }
  const own = Object.keys(manifests[0].dependencies ?? {});
  const used = [...names, ...bundledInto(out)];
  const unused = own.filter((name) => !name.startsWith(SCOPE) && !used.includes(name));
  if (unused.length > 0) fail(`${folders[0]} imports nothing of ${unused.join(", ")}, its dependencies`);
  return Object.fromEntries(Object.entries(found).filter(([, some]) => Object.keys(some).length > 0));
}

/**
 * Writes `package.json` and checks that every file it names is there.
 * @param {string} out
 * @param {Record<string, unknown>} facts name, description, and whatever else belongs to this package alone
 */
export function writeManifest(out, facts) {
  const common = Object.fromEntries(COMMON.filter((key) => key in source).map((key) => [key, source[key]]));
  const { name, description, ...rest } = facts;
  const files = readdirSync(out).sort();
  const access = { publishConfig: { access: "public", provenance: true } };
  const manifest = { name, description, ...common, ...rest, files, ...access };
  writeFileSync(join(out, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  const entries = Object.values(manifest.exports).flatMap((entry) =>
    typeof entry === "string" ? [entry] : Object.values(entry),
  );
  for (const path of [...Object.values(manifest.bin ?? {}), ...entries]) {
    if (!existsSync(join(out, path))) fail(`package.json names ${path}, which the build did not make`);
  }
}
