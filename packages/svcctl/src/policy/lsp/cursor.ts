/** Finds the surroundings of a cursor: the path of keys above it, and the word around it. */

import { getLocation } from "jsonc-parser";

/** The place of a cursor. */
export interface Cursor {
  /** Keys from the root to the cursor, without positions in lists. */
  readonly keys: readonly string[];
  /** True where a key is written, false where a value is. */
  readonly isKey: boolean;
  /** The word around the cursor: an action, an ARN, a name. */
  readonly word: { readonly text: string; readonly start: number; readonly end: number };
}

const WORD_BEFORE = /[^\s"',[\]]*$/;
const WORD_AFTER = /^[^\s"',[\]]*/;

/** Reads the place of an offset in a JSON or YAML text; the text may be broken. */
export function cursorAt(text: string, offset: number): Cursor {
  const before = WORD_BEFORE.exec(text.slice(0, offset))?.[0] ?? "";
  const after = WORD_AFTER.exec(text.slice(offset))?.[0] ?? "";
  const word = { text: before + after, start: offset - before.length, end: offset + after.length };
  return { ...(/^\s*[[{]/.test(text) ? inJson(text, offset) : inYaml(text, word.start)), word };
}

function inJson(text: string, offset: number): Omit<Cursor, "word"> {
  const { path, isAtPropertyKey } = getLocation(text, offset);
  const keys = path.filter((segment): segment is string => typeof segment === "string");
  // The key that is being written is no key above.
  return { keys: isAtPropertyKey ? keys.slice(0, -1) : keys, isKey: isAtPropertyKey };
}

const YAML_KEY = /^(?<indent>\s*(?:-\s+)*)(?:["']?(?<key>[\w:$.-]+)["']?\s*:(?=\s|$))?/;
const FLOW_KEY = /["']?(?<key>[\w:$.-]+)["']?\s*:\s*[^,{}]*$/;

/** By indentation: a line with less of it is above. */
function inYaml(text: string, start: number): Omit<Cursor, "word"> {
  const lines = text.slice(0, start).split("\n");
  const current = lines.pop() ?? "";
  const keys: string[] = [];
  const own = YAML_KEY.exec(current)?.groups ?? {};
  const flow = FLOW_KEY.exec(current.slice(own["indent"]?.length ?? 0))?.groups?.["key"];
  if (flow !== undefined) keys.unshift(flow);
  if (own["key"] !== undefined && own["key"] !== flow) keys.unshift(own["key"]);
  let depth = indentOf(current);
  for (const line of lines.reverse()) {
    if (line.trim() === "" || line.trimStart().startsWith("#")) continue;
    const key = YAML_KEY.exec(line)?.groups?.["key"];
    const indent = indentOf(line);
    // A list may stand as deep as the key above it.
    const isAbove = indent < depth || (indent === depth && !/^\s*-/.test(line) && /^\s*-/.test(current));
    if (key === undefined || !isAbove) continue;
    keys.unshift(key);
    depth = indent;
  }
  return {
    keys,
    isKey:
      flow === undefined && own["key"] === undefined && !/[[{]/.test(current) && !isValueItem(current, keys),
  };
}

/** A list item below a key whose items are texts. */
function isValueItem(line: string, keys: readonly string[]): boolean {
  return /^\s*-\s*["']?$/.test(line) && keys.at(-1) !== "statement" && keys.at(-1) !== "policies";
}

function indentOf(line: string): number {
  return (/^\s*(?:-\s+)*/.exec(line)?.[0] ?? "").length;
}
