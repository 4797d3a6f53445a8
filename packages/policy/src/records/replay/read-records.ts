/** Reads all records of a decision log, chain by chain. */

import { access } from "node:fs/promises";
import { join } from "node:path";
import { parseJsonText } from "../../json-text.ts";
import { chainsIn, segmentsOf } from "../chain-files.ts";
import { segmentLines } from "../read-lines.ts";
import { isDecision, type LoggedDecision, type LoggedLine } from "../record.ts";

/**
 * Yields the records of a log. Rejects with the error of the file system, or SyntaxError for a damaged line.
 * @param directory folder of the chains
 */
export async function* readRecords(directory: string): AsyncGenerator<LoggedDecision> {
  // A folder that is not there has no chains, and is no log without records.
  await access(directory);
  for (const chain of await chainsIn(directory)) {
    for (const segment of await segmentsOf(join(directory, chain))) {
      for await (const { line, complete } of segmentLines(segment)) {
        if (!complete) continue;
        const record = parseJsonText(line.toString("utf8")) as LoggedLine;
        if (isDecision(record)) yield record;
      }
    }
  }
}
