/** The `resource` text of a statement: one resource, or a JSON array of them (spec/evaluation §4). */

import { parseJsonText } from "../json-text.ts";

/**
 * Splits a statement's resource text into the resources it names.
 * @returns the resources (an OR; may be empty for `[]`), or undefined if the text is broken: empty, or bracketed and
 * not a JSON array of strings. `null` elements become "", which matches nothing. The function does not check that each
 * resource is a valid ARN.
 */
export function parseResourceText(text: string): readonly string[] | undefined {
  if (text === "") return undefined;
  if (!(text.startsWith("[") && text.endsWith("]"))) return [text];
  let parsed: unknown;
  try {
    parsed = parseJsonText(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(parsed)) return undefined;
  const resources: string[] = [];
  for (const element of parsed) {
    if (element === null) resources.push("");
    else if (typeof element === "string") resources.push(element.toWellFormed());
    else return undefined;
  }
  return resources;
}
