/** Compiled values of the extended operators, which match one text of the request. */

import { parseBinary } from "../../model/binary-values.ts";
import type { Comparison, Operator } from "../../model/condition-operators.ts";
import { arnParts, parseDate, parseNumber } from "../../model/condition-values.ts";
import {
  conditionArnProblem,
  parseTemplate,
  type TemplatePart,
  USER_VARIABLE,
} from "../../model/condition-variables.ts";
import type { ConditionFields } from "../../model/decision.ts";
import { parseIp, parseIpRange, rangeContains } from "../../model/ip.ts";
import { parseBoolean } from "../../model/truth-values.ts";
import { compilePieces, matching, type Wildcard } from "../patterns/wildcard.ts";
import type { PatternPiece } from "../patterns/wildcard-nfa.ts";
import { mapTexts, PER_ITEM, type Steps } from "../work.ts";
import { type Substituted, someInSteps } from "./condition-part.ts";

/** True if a text of the request matches a value of the policy; undefined if the text is unreadable. */
export type Match = (text: string) => boolean | undefined;

/** The values of an operator. */
interface Matcher {
  /** Variables in the values, each once. */
  readonly variables: ReadonlySet<string>;
  /** The values for one request; undefined if one is unreadable, or a variable has no single value. */
  bind(context: ConditionFields, user: string): Match | undefined;
  /** See {@link ConditionPart}. */
  readonly substituted?: Substituted;
  /** As `bind`, in steps; absent where a match is short for every request. */
  readonly bindInSteps?: (context: ConditionFields, user: string) => Steps<MatchInSteps | undefined>;
}

/** As {@link Match}, in steps. */
type MatchInSteps = (text: string) => Steps<boolean | undefined>;

/** Longest text of a variable, in UTF-16 units. A longer text counts as no value. */
const MOST_SUBSTITUTED = 4096;

const ARN_PARTS = 6;

const NO_VARIABLES: ReadonlySet<string> = new Set();

const COMPARE: Readonly<Record<Comparison, (left: number, right: number) => boolean>> = {
  equal: (left, right) => left === right,
  less: (left, right) => left < right,
  lessOrEqual: (left, right) => left <= right,
  greater: (left, right) => left > right,
  greaterOrEqual: (left, right) => left >= right,
};

function* parsedMatcher<Value, Written>(
  texts: readonly string[],
  parse: (text: string) => Written | undefined,
  read: (text: string) => Value | undefined,
  compare: (value: Value, written: Written) => boolean,
): Steps<Matcher> {
  const written = yield* mapTexts(texts, parse);
  const values = written.filter((value) => value !== undefined);
  const match: Match = (text) => {
    const value = read(text);
    return value === undefined ? undefined : values.some((one) => compare(value, one));
  };
  const bound = values.length === written.length ? match : undefined;
  return { variables: NO_VARIABLES, bind: () => bound };
}

/** Inserts the values of variables; undefined if one has no value. */
function substitute(
  parts: readonly TemplatePart[],
  context: ConditionFields,
  user: string,
): PatternPiece[] | undefined {
  const pieces: PatternPiece[] = [];
  for (const part of parts) {
    if ("text" in part) {
      pieces.push(part);
      continue;
    }
    const value = part.variable === USER_VARIABLE ? user : (context.get(part.variable) ?? part.fallback);
    if (typeof value !== "string" || value.length > MOST_SUBSTITUTED) return undefined;
    pieces.push({ text: value, literal: true });
  }
  return pieces;
}

/** Values without variables: those in a set, and others that are tried one by one. */
interface Fixed<Value> {
  known(text: string): boolean;
  readonly tried: readonly Value[];
}

/** Parsers of a kind of values: `value` for the policy, `read` for the request. */
interface TextForm<Value> {
  value(pieces: readonly PatternPiece[]): Value;
  /** Builds the matcher for values without variables, in steps. */
  fixed(values: readonly Value[]): Steps<Fixed<Value>>;
  compares(text: string, value: Value): boolean;
  /** As `compares` with a value that is put together from pieces, or its steps. */
  tries(text: string, pieces: readonly PatternPiece[]): boolean | Steps<boolean>;
  /** As `compares`, or its steps where it may be long. */
  triesValue(text: string, value: Value): boolean | Steps<boolean>;
  read(text: string): string;
}

function joined(pieces: readonly PatternPiece[]): string {
  return pieces.map(({ text }) => text).join("");
}

/** Texts that are added to a set in one step. */
const ADDED_AT_ONCE = 512;

function exactForm(normalize: (text: string) => string): TextForm<string> {
  return {
    value: (pieces) => normalize(joined(pieces)),
    *fixed(values) {
      const known = new Set<string>();
      for (const value of values) {
        known.add(value);
        if (known.size % ADDED_AT_ONCE === 0) yield ADDED_AT_ONCE * PER_ITEM;
      }
      return { known: (text) => known.has(text), tried: [] };
    },
    compares: (text, value) => text === value,
    tries: (text, pieces) => text === normalize(joined(pieces)),
    triesValue: (text, value) => text === value,
    read: normalize,
  };
}

const TEXT = exactForm((text) => text.toWellFormed());
/** Unicode's lower case, independent of the locale. */
const FOLDED = exactForm((text) => text.toWellFormed().toLowerCase());
/** Bytes in UTF-8 of a UTF-16 unit. */
const MOST_BYTES_OF_UNIT = 3;

const PATTERN: TextForm<Wildcard> = {
  value: compilePieces,
  *fixed(values) {
    return { known: () => false, tried: values };
  },
  compares: (text, value) => value.match(text),
  tries: (text, pieces) => {
    // A pattern that is longer than every text of this length is not even compiled.
    const literals = pieces.reduce((sum, piece) => sum + (piece.literal ? piece.text.length : 0), 0);
    return literals <= MOST_BYTES_OF_UNIT * text.length && matching(compilePieces(pieces), text);
  },
  triesValue: (text, value) => matching(value, text),
  read: (text) => text.toWellFormed(),
};

/** A pattern for each of the six parts of an ARN; undefined for what is none. */
type ArnPattern = readonly Wildcard[] | undefined;

/** The pieces of each part of an ARN. Colons of the policy alone part it: a variable stands within a part. */
function arnPieces(pieces: readonly PatternPiece[]): PatternPiece[][] {
  const parts: PatternPiece[][] = [[]];
  for (const piece of pieces) {
    if (piece.literal === true) {
      parts.at(-1)?.push(piece);
      continue;
    }
    let rest = piece.text;
    for (let colon = rest.indexOf(":"); colon >= 0 && parts.length < ARN_PARTS; colon = rest.indexOf(":")) {
      parts.at(-1)?.push({ ...piece, text: rest.slice(0, colon) });
      parts.push([]);
      rest = rest.slice(colon + 1);
    }
    parts.at(-1)?.push({ ...piece, text: rest });
  }
  return parts;
}

function* triesArn(text: string, pattern: ArnPattern): Steps<boolean> {
  const parts = arnParts(text);
  if (pattern === undefined || parts === undefined) return false;
  for (const [index, part] of parts.entries()) {
    const tested = matching(pattern[index] as Wildcard, part);
    if (!(typeof tested === "boolean" ? tested : yield* tested)) return false;
  }
  return true;
}

function arnPattern(pieces: readonly PatternPiece[]): ArnPattern {
  const parts = arnPieces(pieces);
  return parts.length === ARN_PARTS ? parts.map((part) => compilePieces(part)) : undefined;
}

const ARN: TextForm<ArnPattern> = {
  value: arnPattern,
  *fixed(values) {
    return { known: () => false, tried: values };
  },
  compares: (text, pattern) => {
    const parts = arnParts(text);
    if (pattern === undefined || parts === undefined) return false;
    return parts.every((part, index) => (pattern[index] as Wildcard).match(part));
  },
  tries: (text, pieces) => triesArn(text, arnPattern(pieces)),
  triesValue: triesArn,
  read: (text) => text.toWellFormed(),
};

/** The matcher, for which a text that is no ARN is unreadable. */
function* arnMatcher(texts: readonly string[]): Steps<Matcher> {
  const matcher = yield* textMatcher(ARN, texts);
  const areArns = texts.every((text) => conditionArnProblem(text) === undefined);
  if (!areArns) return { variables: NO_VARIABLES, bind: () => undefined };
  const { bind, bindInSteps } = matcher;
  return {
    ...matcher,
    bind: (context, user) => {
      const match = bind(context, user);
      return match && ((text) => (arnParts(text) === undefined ? undefined : match(text)));
    },
    ...(bindInSteps && {
      *bindInSteps(context: ConditionFields, user: string) {
        const match = yield* bindInSteps(context, user);
        return (
          match &&
          function* (text: string) {
            return arnParts(text) === undefined ? undefined : yield* match(text);
          }
        );
      },
    }),
  };
}

/** A value of the policy: parsed, or with variables. */
type ReadValue<Value> = { readonly value: Value } | { readonly parts: readonly TemplatePart[] };

function isFixed(parts: readonly TemplatePart[]): parts is PatternPiece[] {
  return parts.every((part) => "text" in part);
}

function readValue<Value>(form: TextForm<Value>, text: string): ReadValue<Value> | undefined {
  const template = parseTemplate(text);
  if (!("parts" in template)) return undefined;
  const { parts } = template;
  return isFixed(parts) ? { value: form.value(parts) } : { parts };
}

function* textMatcher<Value>(form: TextForm<Value>, texts: readonly string[]): Steps<Matcher> {
  const read = yield* mapTexts(texts, (text) => readValue(form, text));
  const values: Value[] = [];
  const open: (readonly TemplatePart[])[] = [];
  for (const one of read) {
    if (one === undefined) return { variables: NO_VARIABLES, bind: () => undefined };
    if ("parts" in one) open.push(one.parts);
    else values.push(one.value);
  }
  const fixed = yield* form.fixed(values);
  const isFixedValue = (read: string): boolean =>
    fixed.known(read) || fixed.tried.some((value) => form.compares(read, value));
  const always: Match = (text) => isFixedValue(form.read(text));
  const isTried = fixed.tried.length + open.length > 0;
  const inSteps = isTried ? { bindInSteps: boundInSteps(form, fixed, open) } : {};
  if (open.length === 0) return { variables: NO_VARIABLES, bind: () => always, ...inSteps };
  const substituted = substitutedIn(open);
  return {
    variables: new Set(substituted.keys()),
    substituted,
    ...inSteps,
    bind: (context, user) => {
      const bound: Value[] = [];
      for (const parts of open) {
        const pieces = substitute(parts, context, user);
        if (pieces === undefined) return undefined;
        bound.push(form.value(pieces));
      }
      return (text) => {
        const read = form.read(text);
        return isFixedValue(read) || bound.some((value) => form.compares(read, value));
      };
    },
  };
}

/** Values with variables that are bound between two steps. */
const BOUND_AT_ONCE = 8;

function boundInSteps<Value>(
  form: TextForm<Value>,
  fixed: Fixed<Value>,
  open: readonly (readonly TemplatePart[])[],
): Required<Matcher>["bindInSteps"] {
  return function* (context, user) {
    // Compiled patterns of long texts would take much memory together, so that each is compiled when it is tried.
    const bound: PatternPiece[][] = [];
    for (const parts of open) {
      const pieces = substitute(parts, context, user);
      if (pieces === undefined) return undefined;
      bound.push(pieces);
      if (bound.length % BOUND_AT_ONCE === 0) yield 0;
    }
    return function* (text) {
      const read = form.read(text);
      if (fixed.known(read)) return true;
      if (yield* someInSteps(fixed.tried, (value) => form.triesValue(read, value))) return true;
      return yield* someInSteps(bound, (pieces) => form.tries(read, pieces));
    };
  };
}

function substitutedIn(values: readonly (readonly TemplatePart[])[]): Substituted {
  const found = new Map<string, number>();
  for (const parts of values) {
    const words = parts.some((part) => "text" in part && part.literal !== true && part.text.includes("?"))
      ? 2
      : 1;
    for (const part of parts) {
      if ("variable" in part) found.set(part.variable, (found.get(part.variable) ?? 0) + words);
    }
  }
  return found;
}

/** Compiles the values of an extended operator other than `Null`, in steps. */
export function compileMatcher({ kind, comparison }: Operator, values: readonly string[]): Steps<Matcher> {
  switch (kind) {
    case "text":
      return textMatcher(TEXT, values);
    case "folded":
      return textMatcher(FOLDED, values);
    case "pattern":
      return textMatcher(PATTERN, values);
    case "arn":
      return arnMatcher(values);
    case "binary":
      return parsedMatcher(values, parseBinary, parseBinary, (left, right) => left === right);
    case "number":
      return parsedMatcher(values, parseNumber, parseNumber, COMPARE[comparison]);
    case "date":
      return parsedMatcher(values, parseDate, parseDate, COMPARE[comparison]);
    case "ip":
      return parsedMatcher(values, parseIpRange, parseIp, (address, range) => rangeContains(range, address));
    case "boolean":
    case "presence":
      return parsedMatcher(values, parseBoolean, parseBoolean, (left, right) => left === right);
  }
}
