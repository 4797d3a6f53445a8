// Writes dist/: the server's package as it is published (`@svc-authorizer/server`).
//
// usage: node build/build.mjs [output folder, default dist]

import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { compile, DEPENDENCIES, root } from "./compile.mjs";
import { buildConsole } from "./console.mjs";
import { copy } from "./copy.mjs";
import { source, writeManifest } from "./manifest.mjs";

const out = resolve(process.argv[2] ?? join(root, "dist"));
const COPIED = [
  "bin",
  "docs",
  "src/help/assets",
  "policies",
  "fixtures/datasets",
  "README.md",
  "LICENSE",
  "CHANGELOG.md",
  "SECURITY.md",
];

/** The packages that the service and svcctl are made of, beside `src`. */
const PACKAGES = ["policy", "commands", "svcctl", "svcctl-metastore"];

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
compile(out, { include: ["src", ...PACKAGES.map((name) => `packages/${name}/src`)] });
copy(out, COPIED);
await buildConsole(join(out, "console"));
writeManifest(out, {
  name: "@svc-authorizer/server",
  description: source.description,
  keywords: source.keywords,
  engines: source.engines,
  bin: source.bin,
  exports: { "./package.json": "./package.json" },
  files: ["src", "packages", "console", ...COPIED],
  dependencies: DEPENDENCIES,
});
for (const path of Object.values(source.bin)) chmodSync(join(out, path), 0o755);
