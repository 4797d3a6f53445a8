// Renders the manual for the published package, which so needs no library for Markdown.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { manualSources } from "../src/compose/apis/help.ts";
import { renderManual } from "../src/manual/render-manual.ts";
import { source } from "./manifest.mjs";

/** Folder of a compiled package with the code that renders, which stays in the clone. */
export const RENDERING = "src/manual";

/** Writes the rendered manual below the folder of a package. */
export function writeManual(out: string): void {
  const file = join(out, "help", "pages.json.gz");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, gzipSync(JSON.stringify(renderManual(manualSources(source.version))), { level: 9 }));
}
