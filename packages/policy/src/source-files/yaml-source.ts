/** Reads the value of a YAML file, and where its parts stand. */

import {
  type Alias,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  visit,
  type YAMLMap,
} from "yaml";
import { canonicalDecimal, TOO_MANY_DIGITS } from "../decimal.ts";
import { type Parsed, pointerOf, segmentsOf, type TextFault } from "./source.ts";
import { parseYamlText, UNRESOLVED_ALIAS, type YamlText } from "./yaml-text.ts";

/** Most nodes that resolving aliases may repeat, so that a small file cannot grow into a huge value. */
const MAX_ALIASES = 100;

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
function structureFaults(document: Document, at: YamlText["at"]): readonly TextFault[] {
  const faults: TextFault[] = [];
  const anchors = new Set<string>();
  const report = (message: string, node: unknown, segments: readonly (string | number)[]): void => {
    const offset = isNode(node) ? (node.range?.[0] ?? 0) : 0;
    faults.push({ pointer: pointerOf(segments), message, position: at(offset) });
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
    const message = within ? "the alias stands within what it repeats" : UNRESOLVED_ALIAS;
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

const WHOLE_IN_OTHER_BASE = /^0[xo][0-9a-fA-F]+$/;

/** Makes each number that no double is the text of its digits; finds those that have too many. */
function numberFaults(document: Document, at: YamlText["at"]): readonly TextFault[] {
  const faults: TextFault[] = [];
  visit(document, {
    Scalar(_key, node, path) {
      // `.inf` and `.nan` are judged as values; a number that is too large for a double is read as infinite.
      if (typeof node.value !== "number" || !/\d/.test(node.source ?? "")) return;
      const digits = digitsOf(node.source ?? "");
      if (digits === undefined) {
        const position = at(node.range?.[0] ?? 0);
        faults.push({ pointer: pointerOf(segmentsTo([...path, node])), message: TOO_MANY_DIGITS, position });
      } else if (digits !== JSON.stringify(node.value)) node.value = digits;
    },
  });
  return faults;
}

/** The canonical text of a number as YAML 1.2 writes it: also `+1`, `.5`, `1.`, `0x1f`, `0o17`. */
function digitsOf(source: string): string | undefined {
  if (WHOLE_IN_OTHER_BASE.test(source)) return canonicalDecimal(BigInt(source).toString());
  const [, sign = "", rest = ""] = /^([+-]?)(.*)$/s.exec(source) ?? [];
  const decimal = rest.replace(/^\./, "0.").replace(/\.(?=$|[eE])/, "");
  return canonicalDecimal(`${sign === "-" ? "-" : ""}${decimal}`);
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
  const { document, faults, at } = parseYamlText(text);
  if (document === undefined || faults.length > 0) return { faults };
  try {
    const structure = structureFaults(document, at);
    if (structure.length > 0) return { faults: structure };
    const numbers = numberFaults(document, at);
    if (numbers.length > 0) return { faults: numbers };
    return {
      value: document.toJS({ maxAliasCount: MAX_ALIASES }),
      locate: (pointers) => new Map(pointers.map((p) => [p, at(offsetOf(document, p))])),
    };
  } catch (error) {
    if (!(error instanceof ReferenceError || error instanceof RangeError)) throw error;
    const message = error instanceof ReferenceError ? "too many aliases" : "nested too deeply";
    return { faults: [{ pointer: "", message, position: undefined }] };
  }
}
