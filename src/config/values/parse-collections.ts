/** Items whose value is a list or a map of texts. */

import { type RawValue, rawFromJs } from "@svc-authorizer/policy/source-files/configuration/raw-value.ts";
import type { AnyItem } from "../item.ts";
import { absolutePath } from "./path-value.ts";
import { expectedText } from "./text-checks.ts";
import { expected, found, type ParserTools } from "./value-parser.ts";

/** A list: of YAML or JSON, or a text with commas between the elements. An empty text is "not set". */
export function parseStrings(
  raw: RawValue,
  item: AnyItem,
  tools: ParserTools,
): readonly string[] | undefined {
  const list = raw.shape === "scalar" ? splitList(raw) : raw;
  if (list === undefined) return undefined;
  if (list.shape !== "list") return tools.fail(expected("a list of texts", raw, item), raw.place);
  const texts: string[] = [];
  let sound = true;
  for (const [index, element] of list.elements.entries()) {
    const text = parseElement(element, index, item, tools);
    if (text === undefined) sound = false;
    else texts.push(text);
  }
  return sound ? texts : undefined;
}

function parseElement(
  element: RawValue,
  index: number,
  item: AnyItem,
  tools: ParserTools,
): string | undefined {
  if (element.shape !== "scalar" || element.kind === "bool" || element.text === "") {
    return tools.fail(expected("a text as element of the list", element, item), element.place, [index]);
  }
  const wrong = item.check === undefined ? undefined : expectedText(item.check, element.text);
  if (wrong !== undefined) {
    return tools.fail(wrong + found(element.text, item), element.place, [index]);
  }
  return item.path === undefined ? element.text : absolutePath(element.text, item.path, tools);
}

/** A map of texts: of YAML or JSON, or a text `k=v,k=v`. An empty text is "not set". */
export function parseStringMap(
  raw: RawValue,
  item: AnyItem,
  tools: ParserTools,
): ReadonlyMap<string, string> | undefined {
  if (raw.shape === "scalar" && raw.text.trim() === "") return undefined;
  const map = raw.shape === "scalar" ? splitMap(raw) : raw;
  if (map?.shape !== "map") {
    return tools.fail(expected("a map of texts such as k=v,k=v", raw, item), raw.place);
  }
  const result = new Map<string, string>();
  let sound = true;
  for (const { key, value, place } of map.entries) {
    if (value.shape === "scalar") result.set(key, value.text);
    else {
      sound = false;
      tools.fail(expected("a text as value of the map", value, item), place, [key]);
    }
  }
  return sound ? result : undefined;
}

type Scalar = Extract<RawValue, { shape: "scalar" }>;

/** The elements of a text: a JSON list, or separated by commas; undefined for an empty text. */
export function splitList(raw: Scalar): RawValue | undefined {
  if (raw.text.trim() === "") return undefined;
  const json = jsonOf(raw);
  if (json?.shape === "list") return json;
  const parts = raw.text.split(",").map((part) => part.trim());
  return { shape: "list", elements: parts.map((text) => ({ ...raw, text })), place: raw.place };
}

function splitMap(raw: Scalar): RawValue | undefined {
  const json = jsonOf(raw);
  if (json?.shape === "map") return json;
  const pairs = raw.text.split(",").map((pair) => /^\s*([^=]*[^=\s])\s*=\s*(.*?)\s*$/s.exec(pair));
  if (pairs.includes(null)) return undefined;
  const entries = pairs.map((pair) => {
    const [, key = "", text = ""] = pair ?? [];
    return { key, place: raw.place, value: { ...raw, text } };
  });
  return { shape: "map", entries, place: raw.place };
}

/** The value of a text that is a JSON list or object; undefined for any other. */
export function jsonOf(raw: Scalar): RawValue | undefined {
  if (!/^\s*[[{]/.test(raw.text)) return undefined;
  try {
    return rawFromJs(JSON.parse(raw.text), raw.place);
  } catch {
    return undefined;
  }
}
