/** Reads JSON and YAML files: extension, size, encoding, syntax. Other code validates the content. */

import { readFile, stat } from "node:fs/promises";
import { extname } from "node:path";
import type { Problem } from "../errors.ts";
import { invalidParts } from "./document-value.ts";
import { parseJson } from "./json-source.ts";
import type { DocumentSource, Parsed, TextFault } from "./source.ts";
import { parseYaml } from "./yaml-source.ts";

const MIB = 1024 * 1024;

interface Syntax {
  readonly parse: (text: string) => Parsed;
  readonly maxBytes: number;
  /** The advice about a larger file. */
  readonly advice: (what: string, file: string) => string;
}

/** Largest YAML file that is read; larger ones are written as JSON. */
export const MAX_YAML_BYTES = 5 * MIB;

const YAML: Syntax = {
  parse: parseYaml,
  maxBytes: MAX_YAML_BYTES,
  advice: (what, file) =>
    `YAML over 5 MiB is not read: write the ${what} as JSON, such as with yq -o=json '${file}' > '${withoutExtension(file)}.json'`,
};
const JSON_SYNTAX: Syntax = {
  parse: parseJson,
  maxBytes: 256 * MIB,
  advice: (what) => `JSON over 256 MiB is not read: split the ${what} into several files`,
};

const SYNTAXES: ReadonlyMap<string, Syntax> = new Map([
  [".json", JSON_SYNTAX],
  [".yaml", YAML],
  [".yml", YAML],
]);

/** Largest number of reported unsound parts of one file. */
const MAX_UNSOUND = 200;

/** A document, or all problems that keep it from being read. */
export type ReadDocument =
  | { readonly source: DocumentSource; readonly text: string }
  | { readonly problems: readonly Problem[] };

function withoutExtension(file: string): string {
  return file.slice(0, file.length - extname(file).length);
}

/** The text of a file, or its problem. */
async function readText(
  file: string,
  { maxBytes, advice }: Syntax,
  what: string,
): Promise<{ text: string } | { message: string }> {
  try {
    if ((await stat(file)).size > maxBytes) return { message: advice(what, file) };
    const bytes = await readFile(file);
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch (error) {
    if (error instanceof TypeError) return { message: "the file is not UTF-8" };
    const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
    return { message: `the file cannot be read${code}` };
  }
}

function faultProblem(file: string, { pointer, message, position }: TextFault): Problem {
  return { file, pointer, message, ...position };
}

/**
 * Parses the text of a document that comes without a file: JSON, else YAML.
 * @param file the name in messages
 */
export function parseDocument(file: string, text: string): ReadDocument {
  const json = parseWith(JSON_SYNTAX, file, text);
  if ("source" in json) return json;
  const yaml = parseWith(YAML, file, text);
  // YAML has braces too. An invalid text that begins with one is most likely meant as JSON.
  return "source" in yaml || !/^\s*[{[]/.test(text) ? yaml : json;
}

function parseWith({ parse }: Syntax, file: string, text: string): ReadDocument {
  const parsed = parse(text);
  if ("faults" in parsed) return { problems: parsed.faults.map((fault) => faultProblem(file, fault)) };
  const source: DocumentSource = { file, value: parsed.value, locate: parsed.locate };
  const unsound = invalidParts(source.value, MAX_UNSOUND);
  if (unsound.length === 0) return { source, text };
  const places = source.locate(unsound.map(({ pointer }) => pointer));
  const located = unsound.map(({ pointer, message }) => ({ file, pointer, message, ...places.get(pointer) }));
  return { problems: located };
}

/**
 * Reads and parses one file, JSON or YAML by its extension (`.json`, `.yaml`, `.yml`).
 * @param what the kind of document for messages, such as "data set"
 */
export async function readDocument(file: string, what: string): Promise<ReadDocument> {
  const syntax = SYNTAXES.get(extname(file).toLowerCase());
  if (syntax === undefined) {
    return { problems: [{ file, pointer: "", message: `a ${what} file ends in .json, .yaml or .yml` }] };
  }
  const read = await readText(file, syntax, what);
  if ("message" in read) return { problems: [{ file, pointer: "", message: read.message }] };
  return parseWith(syntax, file, read.text);
}
