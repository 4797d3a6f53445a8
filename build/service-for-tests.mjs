// Builds the service for the tests that start it as a process, as the published package has it: one bundle in place of a
// thousand sources, whose start takes three quarters of the CPU time. Data beside the sources is that of the clone.
//
// usage: node build/service-for-tests.mjs FOLDER

import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { bundleService } from "./bundle-service.mjs";
import { compile, root } from "./compile.mjs";

/** Files and folders of its package that the service reads. */
const DATA = ["package.json", "policies", "fixtures", "docs", "console", "src/help/assets"];

const [, , out = ""] = process.argv;
compile(out, { include: ["src"], declaration: false });
await bundleService(out);
for (const path of DATA) {
  mkdirSync(dirname(join(out, path)), { recursive: true });
  // Some is made later.
  symlinkSync(join(root, path), join(out, path));
}
