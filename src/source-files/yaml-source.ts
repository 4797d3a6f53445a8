/** Reads a YAML file (YAML 1.2, core schema): one document, text keys only, no custom tags, few aliases. */

import {
  type Alias,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type YAMLError,
  type YAMLMap,
} from "yaml";
import { type Parsed, type Position, pointerOf, segmentsOf, type TextFault } from "./source.ts";

/** Most nodes that resolving aliases may repeat, so that a small file cannot grow into a huge value. */
const MAX_ALIASES = 100;

/** Meaning of the reader's codes. Its own messages are not shown: they quote the text, which may hold secrets. */
const SYNTAX: ReadonlyMap<string, string> = new Map([
  ["BAD_INDENT", "the indentation is wrong"],
  ["BLOCK_AS_IMPLICIT_KEY", "a nested mapping cannot stand on the same line as its key"],
  ["MISSING_CHAR", "a closing quote, bracket, comma or colon is missing"],
  ["MULTILINE_IMPLICIT_KEY", "a key must be on one line (is a colon missing?)"],
  ["MULTIPLE_DOCS", "a file holds one document"],
  ["NON_STRING_KEY", "a key must be a text"],
  ["RESOURCE_EXHAUSTION", "nested too deeply"],
  ["TAB_AS_INDENT", "tabs cannot indent"],
  ["TAG_RESOLVE_FAILED", "the tag is unknown"],
]);

function syntaxFault(error: YAMLError, lines: LineCounter): TextFault {
  const message = SYNTAX.get(error.code) ?? `not valid YAML (${error.code})`;
  return { pointer: "", message, position: positionAt(lines, error.pos[0]) };
}

function positionAt(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}

function keyOf(key: unknown): string {
  return String(isScalar(key) ? key.value : key);
}

/** Segments of a node: the keys and indexes that lead to it. */
function segmentsTo(path: readonly unknown[]): (string | number)[] {
  const segments: (string | number)[] = [];
  for (let index = 1; index < path.length; index++) {
    const parent = path[index - 1];
    const node = path[index];
    if (isMap(parent) && typeof node === "object" && node !== null && "key" in node)
      segments.push(keyOf(node.key));
    if (isSeq(parent)) segments.push(parent.items.indexOf(node));
  }
  return segments;
}

/** Keys that are written twice, and aliases without an anchor before them or within it. */
function structureFaults(document: Document, lines: LineCounter): readonly TextFault[] {
  const faults: TextFault[] = [];
  const anchors = new Set<string>();
  const report = (message: string, node: unknown, segments: readonly (string | number)[]): void => {
    const offset = isNode(node) ? (node.range?.[0] ?? 0) : 0;
    faults.push({ pointer: pointerOf(segments), message, position: positionAt(lines, offset) });
  };
  const checkKeys = (map: YAMLMap, path: readonly unknown[]): void => {
    const seen = new Set<string>();
    for (const { key } of map.items) {
      const name = keyOf(key);
      if (seen.has(name))
        report("the same field is written twice", key, [...segmentsTo([...path, map]), name]);
      seen.add(name);
    }
  };
  const checkAlias = (alias: Alias, path: readonly unknown[]): void => {
    const known = anchors.has(alias.source);
    const within = path.some((node) => isCollection(node) && node.anchor === alias.source);
    const message = within ? "the alias stands within what it repeats" : "the alias has no anchor before it";
    if (!known || within) report(message, alias, segmentsTo([...path, alias]));
  };
  visit(document, {
    Node(_key, node, path) {
      if (isAlias(node)) return checkAlias(node, path);
      if (node.anchor !== undefined) anchors.add(node.anchor);
      if (isMap(node)) checkKeys(node, path);
    },
  });
  return faults;
}

function child(node: unknown, segment: string): unknown {
  if (isSeq(node)) return node.items[Number(segment)];
  if (isMap(node)) return (node as YAMLMap).items.find((pair) => keyOf(pair.key) === segment)?.value;
  return undefined;
}

function offsetOf(document: Document, pointer: string): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const segment of segmentsOf(pointer)) {
    if (isCollection(node) || isScalar(node)) offset = node.range?.[0] ?? offset;
    const next = child(isAlias(node) ? node.resolve(document) : node, segment);
    if (next === undefined || next === null) return offset;
    node = next;
  }
  if (isCollection(node) || isScalar(node) || isAlias(node)) offset = node.range?.[0] ?? offset;
  return offset;
}

/** Parses a YAML text; duplicate keys, warnings and too many aliases are faults. */
export function parseYaml(text: string): Parsed {
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      // Checked below in linear time; the reader's own check compares every key with every other.
      uniqueKeys: false,
      stringKeys: true,
      version: "1.2",
      schema: "core",
      merge: false,
      // "silent" would also silence that there is more than one document.
      logLevel: "error",
    });
    const errors = [...document.errors, ...document.warnings];
    if (errors.length > 0) return { faults: errors.map((error) => syntaxFault(error, lines)) };
    const faults = structureFaults(document, lines);
    if (faults.length > 0) return { faults };
    return {
      value: document.toJS({ maxAliasCount: MAX_ALIASES }),
      locate: (pointers) => new Map(pointers.map((p) => [p, positionAt(lines, offsetOf(document, p))])),
    };
  } catch (error) {
    if (!(error instanceof ReferenceError || error instanceof RangeError)) throw error;
    const message = error instanceof ReferenceError ? "too many aliases" : "nested too deeply";
    return { faults: [{ pointer: "", message, position: undefined }] };
  }
}
