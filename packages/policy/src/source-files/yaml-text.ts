/** Parses YAML 1.2 (core schema): one document, text keys only, no tags. Its readers turn the nodes into values. */

import { type Document, LineCounter, parseDocument, type YAMLError } from "yaml";
import type { Position, TextFault } from "./source.ts";

/** A parsed text. */
export interface YamlText {
  /** Undefined where the text cannot be read on; `faults` say why. */
  readonly document: Document.Parsed | undefined;
  /** Errors and warnings of the syntax, never quoting the text, which may hold secrets. */
  readonly faults: readonly TextFault[];
  /** Returns the place of a character of the text. */
  at(offset: number): Position;
}

/** The problem of an alias without an anchor above it. */
export const UNRESOLVED_ALIAS =
  'a text that begins with * is an alias in YAML, and there is no anchor of its name above it: write "*" in quotes';

/** The problem of a text that is nested too deeply for the parser. */
const TOO_DEEP = "nested too deeply";

/** Messages for the codes of the library. Its own messages quote the text. */
const SYNTAX_MESSAGES: ReadonlyMap<YAMLError["code"], string> = new Map([
  ["BAD_ALIAS", UNRESOLVED_ALIAS],
  ["BAD_DQ_ESCAPE", "a double-quoted text has an unknown escape"],
  ["BAD_INDENT", "is not indented as YAML wants it, or a closing bracket is missing"],
  ["BAD_SCALAR_START", "a text begins with a reserved character: put it in quotes"],
  ["BLOCK_AS_IMPLICIT_KEY", "a mapping begins inside a line: a colon too many, or quotes missing"],
  ["MISSING_CHAR", "a closing quote, bracket, comma or colon is missing"],
  ["MULTILINE_IMPLICIT_KEY", "a key runs over several lines, or its colon is missing"],
  ["MULTIPLE_DOCS", "expected one document, found several"],
  ["NON_STRING_KEY", "expected a text as key"],
  ["RESOURCE_EXHAUSTION", TOO_DEEP],
  ["TAB_AS_INDENT", "a tab is used as indentation; YAML needs spaces"],
  ["TAG_RESOLVE_FAILED", "tags such as !env are not supported"],
]);

/** Parses a text. Duplicate keys and what aliases refer to are for the readers to check. */
export function parseYamlText(text: string): YamlText {
  const lines = new LineCounter();
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  try {
    const document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      // The readers check this in linear time; the library compares every key with every other.
      uniqueKeys: false,
      stringKeys: true,
      version: "1.2",
      schema: "core",
      merge: false,
      // "silent" would also hide that there is more than one document.
      logLevel: "error",
    });
    const faults = [...document.errors, ...document.warnings].map((error) => syntaxFault(error, at));
    return { document: document.errors.length > 0 ? undefined : document, faults, at };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { document: undefined, faults: [{ pointer: "", message: TOO_DEEP, position: undefined }], at };
  }
}

function syntaxFault({ code, pos }: YAMLError, at: YamlText["at"]): TextFault {
  return { pointer: "", message: SYNTAX_MESSAGES.get(code) ?? "is not valid YAML", position: at(pos[0]) };
}
