/** A given value before its item is known: the common form of what stands in files, variables, flags and code. */
import type { Place } from "./problem.ts";

/** A value as given. The text of a number is kept as it was written. */
export type RawValue =
  | { readonly shape: "null"; readonly place: Place }
  | { readonly shape: "scalar"; readonly kind: ScalarKind; readonly text: string; readonly place: Place }
  | { readonly shape: "list"; readonly elements: readonly RawValue[]; readonly place: Place }
  | RawMap;

/** The written form of a scalar. */
type ScalarKind = "string" | "number" | "bool";

/** A section, or a value that is a map. Keys may repeat. */
export interface RawMap {
  readonly shape: "map";
  readonly entries: readonly RawEntry[];
  readonly place: Place;
}

/** One key with its value. */
export interface RawEntry {
  readonly key: string;
  readonly place: Place;
  readonly value: RawValue;
}

/** The text of a variable or a flag as a value. */
export function rawFromText(text: string, place: Place): RawValue {
  return { shape: "scalar", kind: "string", text, place };
}

/** Deepest nesting that is followed; a deeper one is cut off as null. */
const DEEPEST = 32;

/** A JavaScript value (of JSON, or given in code) as a value. What JSON cannot hold counts as null. */
export function rawFromJs(value: unknown, place: Place, depth = 0): RawValue {
  if (typeof value === "string") return rawFromText(value, place);
  if (typeof value === "number" || typeof value === "bigint") {
    return { shape: "scalar", kind: "number", text: String(value), place };
  }
  if (typeof value === "boolean") return { shape: "scalar", kind: "bool", text: String(value), place };
  if (typeof value !== "object" || value === null || depth > DEEPEST) return { shape: "null", place };
  if (Array.isArray(value)) {
    return { shape: "list", elements: value.map((element) => rawFromJs(element, place, depth + 1)), place };
  }
  const members = value instanceof Map ? [...value] : Object.entries(value);
  const entries = members
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => ({ key: String(key), place, value: rawFromJs(member, place, depth + 1) }));
  return { shape: "map", entries, place };
}

/** The kind of a value for messages, never its content. */
export function shapeName(raw: RawValue): string {
  if (raw.shape === "map") return "a section";
  if (raw.shape === "list") return "a list";
  if (raw.shape === "null") return "nothing";
  return raw.kind === "bool" ? "a boolean" : raw.kind === "number" ? "a number" : "text";
}
