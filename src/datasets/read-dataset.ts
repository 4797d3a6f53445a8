/** Reads data set files. Other code validates the content. */

import { readDocument } from "../source-files/read-document.ts";
import type { DocumentSource } from "../source-files/source.ts";
import type { ProblemList } from "./problem-list.ts";

/**
 * Reads and parses one file, JSON or YAML by its extension (`.json`, `.yaml`, `.yml`). Adds faults to `problems` and
 * then returns undefined.
 */
export async function readDataset(file: string, problems: ProblemList): Promise<DocumentSource | undefined> {
  const read = await readDocument(file, "data set");
  if ("source" in read) return read.source;
  for (const problem of read.problems) problems.addFile(problem);
  return undefined;
}
