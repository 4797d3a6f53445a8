/** Reads data set files: extension, size, encoding, syntax. What a data set may say is checked elsewhere. */

import { readFile, stat } from "node:fs/promises";
import { extname } from "node:path";
import { parseJson } from "./json-source.ts";
import type { ProblemList } from "./problem-list.ts";
import { unsoundParts } from "./sound-value.ts";
import type { DatasetSource, Parsed } from "./source.ts";
import { parseYaml } from "./yaml-source.ts";

const MIB = 1024 * 1024;

interface Syntax {
  readonly parse: (text: string) => Parsed;
  readonly maxBytes: number;
  readonly advice: string;
}

/** Largest YAML file that is read; larger data sets are written as JSON. */
export const MAX_YAML_BYTES = 5 * MIB;

const YAML: Syntax = {
  parse: parseYaml,
  maxBytes: MAX_YAML_BYTES,
  advice: "YAML over 5 MiB is not read: write the data set as JSON",
};
const JSON_SYNTAX: Syntax = {
  parse: parseJson,
  maxBytes: 256 * MIB,
  advice: "JSON over 256 MiB is not read: split the data set into several files",
};

const SYNTAXES: ReadonlyMap<string, Syntax> = new Map([
  [".json", JSON_SYNTAX],
  [".yaml", YAML],
  [".yml", YAML],
]);

/** The text of a file, or what keeps it from being read. */
async function readText(file: string, syntax: Syntax): Promise<{ text: string } | { message: string }> {
  try {
    if ((await stat(file)).size > syntax.maxBytes) return { message: syntax.advice };
    const bytes = await readFile(file);
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch (error) {
    if (error instanceof TypeError) return { message: "the file is not UTF-8" };
    const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
    return { message: `the file cannot be read${code}` };
  }
}

/** Most unsound parts of one file that are looked up. */
const MAX_UNSOUND = 200;

/**
 * Reads and parses one file, JSON or YAML by its extension (`.json`, `.yaml`, `.yml`). Faults go to `problems`,
 * and the answer is then undefined.
 */
export async function readDataset(file: string, problems: ProblemList): Promise<DatasetSource | undefined> {
  const syntax = SYNTAXES.get(extname(file).toLowerCase());
  if (syntax === undefined) {
    problems.addFile({ file, pointer: "", message: "a data set file ends in .json, .yaml or .yml" });
    return undefined;
  }
  const read = await readText(file, syntax);
  if ("message" in read) {
    problems.addFile({ file, pointer: "", message: read.message });
    return undefined;
  }
  const parsed = syntax.parse(read.text);
  if ("faults" in parsed) {
    for (const fault of parsed.faults) problems.addText(file, fault);
    return undefined;
  }
  const source: DatasetSource = { file, value: parsed.value, locate: parsed.locate };
  const unsound = unsoundParts(source.value, MAX_UNSOUND);
  for (const { pointer, message } of unsound) problems.add(source, pointer, message);
  return unsound.length === 0 ? source : undefined;
}
