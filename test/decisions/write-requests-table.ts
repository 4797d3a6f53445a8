/** Writes the table of `docs/requests.md` anew: run `node test/decisions/write-requests-table.ts` after a change. */

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { requestsTable, withTable } from "./requests-table.ts";

const path = fileURLToPath(new URL("../../docs/requests.md", import.meta.url));
writeFileSync(path, withTable(readFileSync(path, "utf8"), await requestsTable()));
console.log(`wrote ${path}`);
