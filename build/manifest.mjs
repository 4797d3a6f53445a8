// The manifests of the published packages: common facts from the clone's package.json, the rest from the package.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fail, root } from "./compile.mjs";

/** The facts that every package takes over. Scripts, development and platform packages stay behind. */
const COMMON = ["version", "license", "homepage", "repository", "bugs", "type"];

/** The clone's manifest. */
export const source = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** An entry of `exports`: JavaScript and types of a source, given by its path in the package. */
export function entryOf(path) {
  const base = `./${path.slice(0, -".ts".length)}`;
  return { types: `${base}.d.ts`, default: `${base}.js` };
}

/**
 * Writes `package.json` and checks that every file it names is there.
 * @param {string} out
 * @param {Record<string, unknown>} facts name, description, and whatever else belongs to this package alone
 */
export function writeManifest(out, facts) {
  const common = Object.fromEntries(COMMON.filter((key) => key in source).map((key) => [key, source[key]]));
  const { name, description, ...rest } = facts;
  const access = { publishConfig: { access: "public", provenance: true } };
  const manifest = { name, description, ...common, ...rest, ...access };
  writeFileSync(join(out, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  const entries = Object.values(manifest.exports).flatMap((entry) =>
    typeof entry === "string" ? [entry] : Object.values(entry),
  );
  for (const path of [...Object.values(manifest.bin ?? {}), ...entries]) {
    if (!existsSync(join(out, path))) fail(`package.json names ${path}, which the build did not make`);
  }
}
