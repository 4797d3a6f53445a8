/** From the text of a configuration file (YAML, and so JSON) to values with their lines. */
import { type Alias, type Document, isAlias, isMap, isScalar, isSeq, type Node, type YAMLMap } from "yaml";
import { parseYamlText, UNRESOLVED_ALIAS, type YamlText } from "../yaml-text.ts";
import { indentQuoted } from "./indent-quoted.ts";
import { type Place, type ProblemSink, problemOf } from "./problem.ts";
import type { RawEntry, RawMap, RawValue } from "./raw-value.ts";

/** Most values of a file, those that aliases repeat counted again, and their deepest nesting. */
const MOST_VALUES = 20_000;
const DEEPEST = 32;

/** Parses a text as the data server does, to which quoted texts over several lines need no indentation. */
function parseLeniently(text: string): YamlText {
  const parsed = parseYamlText(text);
  if (parsed.document !== undefined) return parsed;
  const indented = indentQuoted(text);
  if (indented === text) return parsed;
  const again = parseYamlText(indented);
  return again.document === undefined ? parsed : again;
}

/**
 * Returns the values of a file's text; an empty file has none. Reports faults to `sink` without quoting the text, which
 * may hold secrets. Returns undefined if the text is no YAML mapping.
 */
export function readYaml(text: string, file: string, sink: ProblemSink): RawMap | undefined {
  const parsed = parseLeniently(text);
  for (const { message, position } of parsed.faults) {
    sink.problems.push(problemOf("", message, { file, ...position }));
  }
  const { document } = parsed;
  if (document === undefined) return undefined;
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null)) {
    return { shape: "map", entries: [], place: { file, line: 1, column: 1 } };
  }
  const raw = new NodeReader(document, file, parsed.at, sink).read(contents, 0);
  if (raw?.shape === "map") return raw;
  if (raw !== undefined)
    sink.problems.push(problemOf("", "expected a mapping of items to values", raw.place));
  return undefined;
}

/** Turns the nodes of one document into values, following aliases and merge keys within bounds. */
class NodeReader {
  readonly #doc: Document.Parsed;
  readonly #file: string;
  readonly #at: YamlText["at"];
  readonly #sink: ProblemSink;
  #values = 0;
  #stopped = false;

  constructor(doc: Document.Parsed, file: string, at: YamlText["at"], sink: ProblemSink) {
    this.#doc = doc;
    this.#file = file;
    this.#at = at;
    this.#sink = sink;
  }

  /** The value of a node; undefined once a bound is passed, which is reported once. */
  read(node: unknown, depth: number): RawValue | undefined {
    const place = this.#placeOf(node);
    this.#values += 1;
    if (this.#values > MOST_VALUES) return this.#stop(`holds more than ${MOST_VALUES} values`, place);
    if (depth > DEEPEST) return this.#stop(`is nested deeper than ${DEEPEST} levels`, place);
    if (isAlias(node)) return this.#readAlias(node, depth);
    if (isMap(node)) return { shape: "map", entries: this.#entriesOf(node, depth), place };
    if (isSeq(node)) {
      const elements = node.items.map(
        (item) => this.read(item, depth + 1) ?? { shape: "null" as const, place },
      );
      return { shape: "list", elements, place };
    }
    return isScalar(node) ? scalarOf(node.value, node.source, place) : { shape: "null", place };
  }

  #readAlias(node: Alias, depth: number): RawValue | undefined {
    const place = this.#placeOf(node);
    const target = node.resolve(this.#doc);
    if (target === undefined) {
      this.#sink.problems.push(problemOf("", UNRESOLVED_ALIAS, place));
      return { shape: "null", place };
    }
    const value = this.read(target, depth + 1);
    return value === undefined ? undefined : { ...value, place };
  }

  #entriesOf(map: YAMLMap, depth: number): readonly RawEntry[] {
    const own = new Map<string, RawEntry>();
    const merged: RawEntry[] = [];
    for (const { key, value } of map.items) {
      if (this.#stopped) break;
      const place = this.#placeOf(key);
      const text = isScalar(key) ? (key.source ?? String(key.value)) : undefined;
      const raw = this.read(value, depth + 1) ?? { shape: "null" as const, place };
      if (text === undefined) this.#sink.problems.push(problemOf("", "expected a text as key", place));
      else if (text === "<<" && isScalar(key) && key.type === "PLAIN") merged.push(...mergedEntries(raw));
      else if (own.has(text)) {
        const first = own.get(text)?.place.line;
        this.#sink.problems.push(
          problemOf(
            "",
            `the key ${JSON.stringify(text.slice(0, 80))} is given twice, first in line ${first}`,
            place,
          ),
        );
      } else own.set(text, { key: text, place, value: raw });
    }
    for (const entry of merged) if (!own.has(entry.key)) own.set(entry.key, entry);
    return [...own.values()];
  }

  #stop(message: string, place: Place): undefined {
    if (!this.#stopped) this.#sink.problems.push(problemOf("", message, place));
    this.#stopped = true;
  }

  #placeOf(node: unknown): Place {
    const range = (node as Partial<Node> | null | undefined)?.range;
    return range ? { file: this.#file, ...this.#at(range[0]) } : { file: this.#file };
  }
}

function scalarOf(value: unknown, source: string | undefined, place: Place): RawValue {
  if (value === null || value === undefined) return { shape: "null", place };
  if (typeof value === "string") return { shape: "scalar", kind: "string", text: value, place };
  const kind = typeof value === "boolean" ? "bool" : "number";
  return { shape: "scalar", kind, text: source ?? String(value), place };
}

/** The entries that `<<: *other` or `<<: [*one, *other]` brings; the first one of a key counts. */
function mergedEntries(raw: RawValue): readonly RawEntry[] {
  const maps = raw.shape === "list" ? raw.elements : [raw];
  return maps.flatMap((map) => (map.shape === "map" ? map.entries : []));
}
