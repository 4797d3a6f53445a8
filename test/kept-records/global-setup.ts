/** Keeps the records that the services of all tests write, and looks through them when the tests are over. */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RecordCheck, secretsInSources } from "./find-secrets.ts";

/** Most faults that are shown. */
const MOST_SHOWN = 20;

/** Called once before the tests; returns what is called after them. */
export default function keepRecords(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "kept-records-"));
  process.env["KEPT_RECORDS"] = folder;
  const preload = `--require=${join(import.meta.dirname, "keep.cjs")}`;
  process.env["NODE_OPTIONS"] = [process.env["NODE_OPTIONS"], preload].filter(Boolean).join(" ");
  return () => {
    const check = new RecordCheck(secretsInSources(join(import.meta.dirname, "..", "..")));
    const faults: string[] = [];
    for (const name of readdirSync(folder)) {
      faults.push(...check.faultsOf(readFileSync(join(folder, name), "utf8")));
    }
    rmSync(folder, { recursive: true, force: true });
    if (check.records > 0) {
      process.stdout.write(
        `${check.records} records of the tests' services were looked through for secrets\n`,
      );
    }
    if (faults.length === 0) return;
    throw new Error(`records have what no record may have:\n${faults.slice(0, MOST_SHOWN).join("\n")}`);
  };
}
