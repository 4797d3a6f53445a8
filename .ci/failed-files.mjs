// Prints the test files of vitest's JSON results that failed, one on a line.
//
// usage: node .ci/failed-files.mjs RESULTS.json

import { readFileSync } from "node:fs";

/** @type {{ name: string, status: string }[]} */
const files = JSON.parse(readFileSync(process.argv[2], "utf8")).testResults;
for (const file of files) if (file.status === "failed") process.stdout.write(`${file.name}\n`);
