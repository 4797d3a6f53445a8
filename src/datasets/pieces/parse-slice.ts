/** Parses slices of a text, with places in the whole. */

import { parseJson } from "@svc-authorizer/policy/source-files/json-source.ts";
import type { Parsed, Position, TextFault } from "@svc-authorizer/policy/source-files/source.ts";

/** A part of a text, and its place. */
interface TextSlice {
  readonly text: string;
  readonly position: Position;
}

/** As {@link parseJson}, with places in the whole text. */
export function parseSlice({ text, position }: TextSlice): Parsed {
  return shifted(parseJson(text), position, 0);
}

/** As {@link parseSlice}, for the elements of a list, without its brackets. Pointers begin with the index of the element. */
export function parseElements(slice: TextSlice & { readonly isCut: boolean }): Parsed {
  return shifted(parseJson(`[${slice.text}${slice.isCut ? "" : "]"}`), slice.position, 1);
}

/** @param added characters that stand before the slice in the text that was parsed */
function shifted(parsed: Parsed, start: Position, added: number): Parsed {
  const place = ({ line, column }: Position): Position => {
    return line === 1
      ? { line: start.line, column: start.column + column - 1 - added }
      : { line: start.line + line - 1, column };
  };
  if ("faults" in parsed) return { faults: parsed.faults.map((fault) => faultAt(fault, place)) };
  return {
    value: parsed.value,
    locate: (pointers) =>
      new Map([...parsed.locate(pointers)].map(([pointer, position]) => [pointer, place(position)])),
  };
}

function faultAt(fault: TextFault, place: (position: Position) => Position): TextFault {
  return { ...fault, position: fault.position && place(fault.position) };
}
