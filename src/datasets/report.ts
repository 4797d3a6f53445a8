/** A load's report as text. */

import { jsonTexts } from "../compact/json-texts.ts";
import { formatChange } from "./change.ts";
import type { DatasetReport } from "./load-datasets.ts";

/** The last line of a report: counts, and whether anything was written. */
function formatSummary({ counts, dryRun, mode, files, needsYes, left }: DatasetReport): string {
  const { add, change, remove, keep } = counts;
  const done = dryRun
    ? "nothing was written (dry run)"
    : add + change + remove > 0
      ? "applied"
      : "nothing to do";
  const kept = keep > 0 ? `, ${keep} kept as they are` : "";
  const warning = dryRun && needsYes ? "; removes more than half of what sync manages: needs --yes" : "";
  const leftOut =
    left > 0
      ? `, but for ${left} that others made or changed meanwhile; run it again to see what differs`
      : "";
  const from = files.length === 1 ? "1 file" : `${files.length} files`;
  return `${mode} of ${from}: ${add} added, ${change} changed, ${remove} removed${kept}; ${done}${leftOut}${warning}`;
}

/** The diff, one change a line, and the summary. */
export function* formatReport(report: DatasetReport): Generator<string> {
  for (const change of report.changes) yield formatChange(change);
  yield formatSummary(report);
}

/** The report as one JSON document on a line, in texts of some size. */
export function* jsonReport({
  mode,
  dryRun,
  files,
  changes,
  counts,
  needsYes,
  left,
}: DatasetReport): Generator<string> {
  yield* jsonTexts({ mode, dryRun, files, changes, counts, needsYes, left });
  yield "\n";
}
