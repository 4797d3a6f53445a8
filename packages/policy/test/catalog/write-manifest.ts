/** Writes `policies/manifest.json` anew: run `node packages/policy/test/catalog/write-manifest.ts [version]` after a change. */

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildManifest } from "./build-manifest.ts";

const directory = new URL("../../../../policies/", import.meta.url);
const path = fileURLToPath(new URL("manifest.json", directory));
const version = process.argv[2] ?? (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version;
writeFileSync(path, `${JSON.stringify(buildManifest(directory, version), null, 2)}\n`);
console.log(`wrote ${path}`);
