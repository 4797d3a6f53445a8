/** From a given value to the value of its item. */

import { type ProblemSink, problemOf } from "@svc-authorizer/policy/source-files/configuration/problem.ts";
import type { RawValue } from "@svc-authorizer/policy/source-files/configuration/raw-value.ts";
import type { AnyItem, ItemType } from "../item.ts";
import { parseStringMap, parseStrings } from "./parse-collections.ts";
import { parseIssuers } from "./parse-issuers.ts";
import { parseRegions } from "./parse-regions.ts";
import {
  parseBool,
  parseBytesValue,
  parseChoice,
  parseDurationValue,
  parseFloatNumber,
  parseInt32,
  parseInt53,
  parseRateValue,
  parseString,
} from "./parse-scalars.ts";
import { parseTokens } from "./parse-tokens.ts";
import { parseWebUsers } from "./parse-web-users.ts";
import type { PathBase } from "./path-value.ts";
import type { ParserTools, ValueParser } from "./value-parser.ts";

const PARSERS: Readonly<Record<ItemType, ValueParser>> = {
  string: parseString,
  bool: parseBool,
  int: parseInt53,
  int32: parseInt32,
  float: parseFloatNumber,
  duration: parseDurationValue,
  bytes: parseBytesValue,
  choice: parseChoice,
  rate: parseRateValue,
  strings: parseStrings,
  map: parseStringMap,
  tokens: parseTokens,
  issuers: parseIssuers,
  web_users: parseWebUsers,
  regions: parseRegions,
};

/**
 * The value that `raw` gives to `item`, of the type the table promises; undefined when it gives none (null, an
 * empty text, a placeholder, spec/configuration §2.4) or is wrong, which `sink` is then told.
 */
export function parseValue(item: AnyItem, raw: RawValue, base: PathBase, sink: ProblemSink): unknown {
  if (raw.shape === "null") return undefined;
  const tools: ParserTools = {
    ...base,
    fail: (message, place, below) => void sink.problems.push(problemOf(item.name, message, place, below)),
    warn: (message, place) => void sink.warnings.push(problemOf(item.name, message, place)),
  };
  return PARSERS[item.type](raw, item, tools);
}
