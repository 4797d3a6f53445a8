// Writes dist/: the package of the service as it is published, or another one.
//
// usage: node build/build.mjs [output folder, default dist] [package, default server]

import { join, resolve } from "node:path";
import { fail, root } from "./compile.mjs";
import { buildPackage, PACKAGES } from "./packages.mjs";

const [, , folder, name = "server"] = process.argv;
if (!(name in PACKAGES)) fail(`there is no package ${name}`);
await buildPackage(name, resolve(folder ?? join(root, "dist")));
