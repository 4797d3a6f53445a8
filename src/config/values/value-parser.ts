/** Types of the parsers of values. */

import type { Place } from "@svc-authorizer/policy/source-files/configuration/problem.ts";
import { type RawValue, shapeName } from "@svc-authorizer/policy/source-files/configuration/raw-value.ts";
import type { AnyItem } from "../item.ts";
import type { PathBase } from "./path-value.ts";
import { redactUrl } from "./redact-url.ts";

/** Parses a value of one item. Undefined is "not set", or wrong, which `tools.fail` was told. */
export type ValueParser = (raw: RawValue, item: AnyItem, tools: ParserTools) => unknown;

/** Further input of a parser of values. */
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

/** `, found "x"`, cut short and without the credentials of a URL; nothing for secrets. */
export function found(text: string, item: AnyItem): string {
  if (item.secret) return "";
  const shown = redactUrl(text);
  return `, found ${JSON.stringify(shown.length > 60 ? `${shown.slice(0, 60)}…` : shown)}`;
}
