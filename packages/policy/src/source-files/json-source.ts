/**
 * Reads a JSON file. The text is parsed plainly; positions are computed only after a problem. JSON.parse keeps
 * the last of two members of one name, so members are counted in the text and in the value: counts that differ are
 * the one sign of a duplicate, and only then is the text searched for it.
 */

import { getLocation } from "jsonc-parser";
import { endOfString, hasEscapedName, isName, parseJsonText, UnreadableNumber } from "../json-text.ts";
import { countMembers } from "./document-value.ts";
import { jsonFaultMessage } from "./json-fault.ts";
import { duplicateMembers, firstSyntaxFault, locateInJson } from "./json-positions.ts";
import { type Parsed, type Position, pointerOf, type TextFault } from "./source.ts";

const QUOTE = '"';

/** Members of all objects in a valid JSON text: strings that a colon follows. */
function countMembersInText(text: string): number {
  let members = 0;
  let at = text.indexOf(QUOTE);
  while (at >= 0) {
    const end = endOfString(text, at + 1);
    if (isName(text, end)) members++;
    at = text.indexOf(QUOTE, end + 1);
  }
  return members;
}

/** Place of a syntax error. The engine's own message is not shown: it quotes the text, which may hold secrets. */
function syntaxErrorPosition(text: string, error: unknown): Position | undefined {
  const found = /line (\d+) column (\d+)/.exec(error instanceof Error ? error.message : "");
  if (found === null) return firstSyntaxFault(text);
  return { line: Number(found[1]), column: Number(found[2]) };
}

function numberFault(text: string, { message, offset }: UnreadableNumber): TextFault {
  const before = text.slice(0, offset).split("\n");
  const pointer = pointerOf(getLocation(text, offset).path);
  return { pointer, message, position: { line: before.length, column: (before.at(-1) ?? "").length + 1 } };
}

/** Parses a JSON text; duplicate members are faults. */
export function parseJson(text: string): Parsed {
  let value: unknown;
  try {
    value = parseJsonText(text);
  } catch (error) {
    if (error instanceof UnreadableNumber) return { faults: [numberFault(text, error)] };
    // Names with escapes are rewritten before the engine reads the text: its places are those of another one.
    const position = hasEscapedName(text) ? firstSyntaxFault(text) : syntaxErrorPosition(text, error);
    return { faults: [{ pointer: "", message: jsonFaultMessage(text, position), position }] };
  }
  if (countMembersInText(text) !== countMembers(value)) {
    const faults = duplicateMembers(text);
    if (faults.length > 0) return { faults };
  }
  return { value, locate: (pointers) => locateInJson(text, pointers) };
}
