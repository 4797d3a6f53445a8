/** Items whose value is one text, number, boolean or choice. */

import { parseDuration } from "@svc-authorizer/commands/duration.ts";
import type { RawValue } from "@svc-authorizer/policy/source-files/configuration/raw-value.ts";
import type { AnyItem } from "../item.ts";
import { parseBytes } from "./bytes.ts";
import { absolutePath } from "./path-value.ts";
import { isPlaceholder } from "./placeholder.ts";
import { parseRate } from "./rate.ts";
import { expectedText } from "./text-checks.ts";
import { expected, found, type ParserTools, type ValueParser } from "./value-parser.ts";

/** A text. A number is taken as it was written; an empty text is "not set" if there is no default. */
export function parseString(raw: RawValue, item: AnyItem, tools: ParserTools): string | undefined {
  if (raw.shape === "scalar" && raw.kind === "bool") {
    return tools.fail("expected text, found a boolean: put it in quotes", raw.place);
  }
  if (raw.shape !== "scalar") return tools.fail(expected("text", raw, item), raw.place);
  if (raw.text === "" && item.default === null) return undefined;
  if (isPlaceholder(raw.text)) {
    return tools.warn("the placeholder text counts as not set", raw.place);
  }
  const wrong = item.check === undefined ? undefined : expectedText(item.check, raw.text);
  if (wrong !== undefined) return tools.fail(wrong + found(raw.text, item), raw.place);
  return item.path === undefined ? raw.text : absolutePath(raw.text, item.path, tools);
}

/** One of the choices of the item or their aliases, in any case of letters. */
export function parseChoice(raw: RawValue, item: AnyItem, tools: ParserTools): string | undefined {
  const choices = item.choices ?? [];
  const text = raw.shape === "scalar" ? raw.text.trim() : undefined;
  if (text === "") return undefined;
  const folded = text?.toLowerCase() ?? "";
  const aliases = item.aliases ?? {};
  const choice = Object.hasOwn(aliases, folded)
    ? aliases[folded]
    : choices.find((one) => one.toLowerCase() === folded);
  return choice ?? tools.fail(expected(`one of ${choices.join(", ")}`, raw, item), raw.place);
}

/** A parser of one text, trimmed; an empty one is "not set". */
function scalarParser(what: string, parse: (text: string) => unknown): ValueParser {
  return (raw, item, tools) => {
    const text = raw.shape === "scalar" ? raw.text.trim() : undefined;
    if (text === "") return undefined;
    const value = text === undefined ? undefined : parse(text);
    return value ?? tools.fail(expected(what, raw, item), raw.place);
  };
}

function numberParser(
  what: string,
  parse: (text: string) => number | undefined,
  most = Infinity,
): ValueParser {
  const plain = scalarParser(what, parse);
  const bound = (limit: number | string | undefined, other: number): number =>
    limit === undefined ? other : (parse(String(limit)) as number);
  return (raw, item, tools) => {
    const value = plain(raw, item, tools) as number | undefined;
    if (value === undefined) return undefined;
    if (value < bound(item.min, 0)) {
      return tools.fail(expected(`${what}, at least ${item.min ?? 0}`, raw, item), raw.place);
    }
    if (value > bound(item.max, most)) {
      return tools.fail(expected(`${what}, at most ${item.max ?? most}`, raw, item), raw.place);
    }
    return value;
  };
}

function integer(text: string): number | undefined {
  return /^[+-]?\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}

/** true or false, also 1, t, 0 and f. */
export const parseBool = scalarParser("true or false", (text) =>
  /^(?:1|t|true)$/i.test(text) ? true : /^(?:0|f|false)$/i.test(text) ? false : undefined,
);

/** A whole number within the bounds of the item. */
export const parseInt53 = numberParser("a whole number", integer);

/** A whole number of 32 bits within the bounds of the item. */
export const parseInt32 = numberParser("a whole number", integer, 2 ** 31 - 1);

/** A number within the bounds of the item. */
export const parseFloatNumber = numberParser("a number", (text) =>
  /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i.test(text) ? finite(Number(text)) : undefined,
);

/** Milliseconds of a duration text. */
export const parseDurationValue = numberParser("a duration such as 5m, 1h30m or 100ms", parseDuration);

/** Bytes of a size text. */
export const parseBytesValue = numberParser("a size such as 1 MiB or 1048576", parseBytes);

/** A rate text such as `20/m`. */
export const parseRateValue = scalarParser("a rate such as 20/m (units s, m and h)", parseRate);
