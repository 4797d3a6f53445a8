/** Writes `policies/manifest.json` and its digest anew: run `node packages/policy/test/catalog/write-manifest.ts [version]` after a change. */

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { digestOf } from "@svc-authorizer/policy/catalog/digest.ts";
import { buildManifest } from "./build-manifest.ts";

const directory = new URL("../../../../policies/", import.meta.url);
const path = fileURLToPath(new URL("manifest.json", directory));
const version = process.argv[2] ?? (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version;
const manifest = buildManifest(directory, version);
writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);
const source = fileURLToPath(new URL("../../src/catalog/shipped-manifest.ts", import.meta.url));
const before = readFileSync(source, "utf8");
writeFileSync(source, before.replace(/(?<=SHIPPED_MANIFEST = ")\w*/, digestOf(manifest)));
console.log(`wrote ${path} and ${source}`);
