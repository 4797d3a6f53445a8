/** From the text of a configuration file (YAML, and so JSON) to values with their lines. */
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLError,
  type YAMLMap,
} from "yaml";
import { type Place, type ProblemSink, problemOf } from "./problem.ts";
import type { RawEntry, RawMap, RawValue } from "./raw-value.ts";

/** Most values of a file, those that aliases repeat counted again, and their deepest nesting. */
const MOST_VALUES = 20_000;
const DEEPEST = 32;

/**
 * The values of a file's text; an empty file has none. Faults are told to `sink` without quoting the text, which
 * may hold secrets; undefined when the text is no YAML mapping at all.
 */
export function readYaml(text: string, file: string, sink: ProblemSink): RawMap | undefined {
  const lines = new LineCounter();
  const doc = parseText(text, lines);
  if (doc === undefined) {
    sink.problems.push(problemOf("", "is nested too deeply", { file }));
    return undefined;
  }
  for (const error of [...doc.errors, ...doc.warnings]) {
    sink.problems.push(problemOf("", syntaxMessage(error), placeAt(error.pos[0], file, lines)));
  }
  if (doc.errors.length > 0) return undefined;
  const place: Place = { file, line: 1, column: 1 };
  if (doc.contents === null || (isScalar(doc.contents) && doc.contents.value === null)) {
    return { shape: "map", entries: [], place };
  }
  const reader = new NodeReader(doc, file, lines, sink);
  const raw = reader.read(doc.contents, 0);
  if (raw?.shape === "map") return raw;
  if (raw !== undefined)
    sink.problems.push(problemOf("", "expected a mapping of items to values", raw.place));
  return undefined;
}

function parseText(text: string, lineCounter: LineCounter): Document.Parsed | undefined {
  try {
    return parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys: false, logLevel: "error" });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function placeAt(offset: number, file: string, lines: LineCounter): Place {
  const { line, col } = lines.linePos(offset);
  return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
}

/** Own texts: those of the library quote the source. */
function syntaxMessage(error: YAMLError): string {
  return SYNTAX_MESSAGES.get(error.code) ?? "is not valid YAML";
}

const UNRESOLVED_ALIAS = "an alias has no name, or its anchor is not above it";

const SYNTAX_MESSAGES: ReadonlyMap<YAMLError["code"], string> = new Map([
  ["TAB_AS_INDENT", "a tab is used as indentation; YAML wants blanks"],
  ["BAD_INDENT", "is not indented as YAML wants it, or a closing bracket is missing"],
  ["BAD_ALIAS", UNRESOLVED_ALIAS],
  ["BAD_DQ_ESCAPE", "a double-quoted text has an unknown escape"],
  ["BAD_SCALAR_START", "a text begins with a reserved character: put it in quotes"],
  ["MISSING_CHAR", "a closing quote, bracket, comma or colon is missing"],
  ["MULTILINE_IMPLICIT_KEY", "a key runs over several lines, or its colon is missing"],
  ["BLOCK_AS_IMPLICIT_KEY", "a mapping begins inside a line: a colon too many, or quotes missing"],
  ["MULTIPLE_DOCS", "expected one document, found several"],
  ["TAG_RESOLVE_FAILED", "tags such as !env are not supported"],
  ["RESOURCE_EXHAUSTION", "aliases repeat too much"],
]);

/** Turns the nodes of one document into values, following aliases and merge keys within bounds. */
class NodeReader {
  readonly #doc: Document.Parsed;
  readonly #file: string;
  readonly #lines: LineCounter;
  readonly #sink: ProblemSink;
  #values = 0;
  #stopped = false;

  constructor(doc: Document.Parsed, file: string, lines: LineCounter, sink: ProblemSink) {
    this.#doc = doc;
    this.#file = file;
    this.#lines = lines;
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
    return range ? placeAt(range[0], this.#file, this.#lines) : { file: this.#file };
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
