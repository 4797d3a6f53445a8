/** JSON of a value with long lists, written in pieces. */

import type { LongList } from "./long-list.ts";

/** Characters that are written together. */
const CHUNK = 64 * 1_024;

/** The JSON of an object, whose members may be long lists, in texts of some size. */
export function* jsonTexts(members: Readonly<Record<string, unknown>>): Generator<string> {
  let text = "";
  for (const piece of piecesOf(members)) {
    text += piece;
    if (text.length < CHUNK) continue;
    yield text;
    text = "";
  }
  yield text;
}

function* piecesOf(members: Readonly<Record<string, unknown>>): Generator<string> {
  let before = "{";
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    before = ",";
    if (isLongList(value)) yield* listOf(value);
    else yield JSON.stringify(value);
  }
  yield before === "{" ? "{}" : "}";
}

function* listOf(list: LongList<unknown>): Generator<string> {
  let before = "[";
  for (const value of list) {
    yield before + JSON.stringify(value);
    before = ",";
  }
  yield before === "[" ? "[]" : "]";
}

function isLongList(value: unknown): value is LongList<unknown> {
  return typeof value === "object" && value !== null && Symbol.iterator in value && "length" in value;
}
