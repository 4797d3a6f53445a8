/** Says what is wrong where a JSON text cannot be read on. Never quotes the text, which may hold secrets. */

import type { Position } from "./source.ts";

/** The reason at the place of the fault; a general one where nothing is typical. */
export function jsonFaultMessage(text: string, position: Position | undefined): string {
  const general = "not valid JSON from here on";
  if (position === undefined) return general;
  const at = offsetOf(text, position);
  const rest = text.slice(at, at + 2);
  if (rest === "//" || rest === "/*" || rest.startsWith("#")) {
    return "not valid JSON, which has no comments: remove it, or write YAML in a file that ends in .yaml";
  }
  const before = text.slice(0, at).trimEnd().at(-1);
  if (/^[}\]]/.test(rest) && before === ",") return "not valid JSON: the comma before this is one too many";
  if (rest.startsWith("'")) return "not valid JSON: texts and names stand in double quotes";
  if (rest === "" && at > 0)
    return "not valid JSON: the text ends too early, a bracket or a quote is missing";
  return general;
}

function offsetOf(text: string, { line, column }: Position): number {
  let start = 0;
  for (let number = 1; number < line; number++) {
    const end = text.indexOf("\n", start);
    if (end < 0) break;
    start = end + 1;
  }
  return start + column - 1;
}
