/** What every parser of values takes and returns. */
import type { AnyItem } from "./item.ts";
import type { PathBase } from "./path-value.ts";
import type { Place } from "./problem.ts";
import { type RawValue, shapeName } from "./raw-value.ts";

/** Parses a value of one item. Returns undefined for "not set", and for a wrong value after calling `tools.fail`. */
export type ValueParser = (raw: RawValue, item: AnyItem, tools: ParserTools) => unknown;

/** What a parser of values gets besides the value and its item. */
export interface ParserTools extends PathBase {
  /** Reports a problem of the item at `place`; `below` is the way from the item to the faulty part. */
  fail(message: string, place: Place, below?: readonly (string | number)[]): undefined;
  /** Reports a warning of the item. */
  warn(message: string, place: Place): undefined;
}

/** `expected …, found "x"`; what was found is left out for secrets. */
export function expected(what: string, raw: RawValue, item: AnyItem): string {
  if (raw.shape !== "scalar") return `expected ${what}, found ${shapeName(raw)}`;
  return `expected ${what}${found(raw.text, item)}`;
}

/** `, found "x"`, cut short; nothing for secrets. */
export function found(text: string, item: AnyItem): string {
  if (item.secret) return "";
  return `, found ${JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)}`;
}
