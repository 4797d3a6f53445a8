/** Finds the end of a JSON value in a text that comes in chunks. */

import { endOfString, isBlank } from "@svc-authorizer/policy/json-text.ts";
import type { TextWindow } from "./text-window.ts";

const [QUOTE, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT, COMMA] = [0x22, 0x5b, 0x5d, 0x7b, 0x7d, 0x2c];

/** The end of a value: its offset, and whether the text or the limit cut it off. */
interface ValueEnd {
  readonly end: number;
  readonly isCut: boolean;
  /** It is longer than the limit. */
  readonly isTooLong: boolean;
}

/**
 * Finds where a value ends that begins at an offset of a window. Brackets are counted and not compared: who parses the value
 * finds out. An end equal to the start means that no value begins there.
 * @param limit characters that are looked at, about
 */
export async function valueEnd(window: TextWindow, start: number, limit: number): Promise<ValueEnd> {
  const state = { depth: 0, offset: start };
  while (!scan(window, state, start)) {
    if (state.offset - start > limit) return { end: state.offset, isCut: true, isTooLong: true };
    if (await window.fill()) continue;
    const end = window.text.length - window.at;
    // A number or a word ends with the text.
    const isCut = state.depth > 0 || window.unitAt(start) === QUOTE;
    return { end, isCut, isTooLong: false };
  }
  return { end: state.offset, isCut: false, isTooLong: false };
}

/** As {@link valueEnd}; undefined where the value does not end in what is in memory. */
export function endInMemory(window: TextWindow, start: number): ValueEnd | undefined {
  const state = { depth: 0, offset: start };
  return scan(window, state, start) ? { end: state.offset, isCut: false, isTooLong: false } : undefined;
}

/** Looks at what is in memory; true once the value ends, at the offset. */
function scan(window: TextWindow, state: { depth: number; offset: number }, start: number): boolean {
  const { text, at } = window;
  let { depth } = state;
  let index = at + state.offset;
  let isOver = false;
  for (; index < text.length && !isOver; index++) {
    const unit = text.charCodeAt(index);
    if (unit === QUOTE) {
      const end = endOfString(text, index + 1);
      if (end === text.length) break;
      index = end;
      isOver = depth === 0;
    } else if (unit === OPEN_LIST || unit === OPEN_OBJECT) {
      if (depth === 0 && index > at + start) break;
      depth += 1;
    } else if (unit === CLOSE_LIST || unit === CLOSE_OBJECT) {
      if (depth === 0) break;
      depth -= 1;
      isOver = depth === 0;
    } else if (depth === 0 && (unit === COMMA || isBlank(unit))) break;
  }
  const isWord = depth === 0 && !isOver && index < text.length && text.charCodeAt(index) !== QUOTE;
  state.depth = depth;
  state.offset = index - at;
  return isOver || isWord;
}
