/** From the bytes of a request to a JSON value. Nothing here echoes the body. */

import { isUtf8 } from "node:buffer";
import { AuthorizerError, type Problem, pointTo } from "@svc-authorizer/policy/errors.ts";
import { parseJsonText, UnreadableNumber } from "@svc-authorizer/policy/json-text.ts";
import { getLocation, type ParseError, printParseErrorCode, visit } from "jsonc-parser";
import { scheduler } from "../../schedule/scheduler.ts";
import { invalidRequest, RequestRefused } from "../errors.ts";
import { membersOfText, membersOfValue, membersOfValueInSteps } from "./counted-members.ts";
import { findBreach, type JsonBounds, NotJson, parseInSteps } from "./large-json.ts";
import { repeatedMembers, repeatedMembersInSteps } from "./repeated-members.ts";

const NO_NAMES: ReadonlySet<string> = new Set();

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** Longest text whose depth is read off its value. */
const MAX_WALKED = 256 << 10;

/** Longest text in which a fault is looked for, which takes far longer than to find that there is one. */
const MAX_LOCATED = 1 << 18;

/** Longest string or number of a large text, which can only be read in one go: the worst takes a few milliseconds. */
const MAX_SCALAR = 1 << 20;

/** Most members of one object in a large text: twice as many make the process pause for 30 ms when its table grows. */
const MAX_MEMBERS = 50_000;

/** Longest text that is parsed in one go: the worst takes some 50 ms. */
const MAX_AT_ONCE = 192 << 10;

/**
 * A longer text is parsed in one go, too, if it is a list of a few strings or numbers rather than of objects, whose names
 * take most of the time: the worst takes some 10 ms.
 */
const MAX_OF_FEW = 2 << 20;
const FEW_VALUES = 21_000;
const FEW_NAMES = 1_000;

/**
 * The value of a JSON text.
 * @param bytes the text in UTF-8.
 * @param maxDepth deepest nesting of arrays and objects.
 * @throws AuthorizerError "invalid_request": empty, not UTF-8, not JSON (with line and column), nested too deep, a
 *   member that is there twice.
 */
export function parseJsonBody(bytes: Buffer, maxDepth: number): unknown {
  if (bytes.length === 0) throw invalidRequest([{ pointer: "", message: "a JSON body is needed" }]);
  if (!isUtf8(bytes)) throw invalidRequest([{ pointer: "", message: "the body is not valid UTF-8" }]);
  return parseJson(bytes.toString("utf8"), maxDepth);
}

/** The most that the value of a body may have. */
export type BodyBounds = Omit<JsonBounds, "scalar" | "members">;

/**
 * As {@link parseJsonBody}; a large text is parsed in turns with other work, and the result is then a promise.
 * @throws RequestRefused 413 for a large text of more values than `bounds` allows, or with a string or number of more
 *   than 2^20 characters, or with an object of more than 50,000 members; of a small one, none is refused
 */
export function parseJsonInTurns(bytes: Buffer, bounds: BodyBounds): unknown | Promise<unknown> {
  if (bytes.length <= MAX_AT_ONCE) return parseJsonBody(bytes, bounds.depth);
  if (!isUtf8(bytes)) throw invalidRequest([{ pointer: "", message: "the body is not valid UTF-8" }]);
  return scheduler.run(largeValue(bytes.toString("utf8"), bounds));
}

function* largeValue(text: string, bounds: BodyBounds): Generator<undefined, unknown> {
  const found = yield* findBreach(text, { ...bounds, scalar: MAX_SCALAR, members: MAX_MEMBERS });
  if (found === "depth") throw tooDeep(bounds.depth);
  if (found === "values")
    throw new RequestRefused(413, `the body has more than ${bounds.values} JSON values`);
  if (found === "scalar") {
    throw new RequestRefused(413, `the body has a string or number of more than ${MAX_SCALAR} characters`);
  }
  if (found === "members") {
    throw new RequestRefused(413, `the body has an object of more than ${MAX_MEMBERS} members`);
  }
  let value: unknown;
  try {
    const isQuick = text.length <= MAX_OF_FEW && found.values <= FEW_VALUES && found.names <= FEW_NAMES;
    value = isQuick ? parseJsonText(text) : yield* parseInSteps(text);
  } catch (error) {
    // Its offset is one in a part of the text.
    if (error instanceof UnreadableNumber) throw invalidRequest([{ pointer: "", message: error.message }]);
    if (error instanceof NotJson || error instanceof SyntaxError) throw notJson(text);
    throw error;
  }
  if (found.names !== (yield* membersOfValueInSteps(value)))
    refuse(yield* repeatedMembersInSteps(text, NO_NAMES));
  return value;
}

function refuse(repeated: readonly Problem[]): void {
  if (repeated.length > 0) throw invalidRequest(repeated);
}

/** As {@link parseJsonBody}, from a text. */
export function parseJson(text: string, maxDepth: number): unknown {
  // The value tells its depth in a tenth of the time of the text, but a deep value takes long to make.
  const nests = mayNestDeeper(text, maxDepth);
  if (nests && text.length > MAX_WALKED && depth(text) > maxDepth) throw tooDeep(maxDepth);
  let value: unknown;
  try {
    value = parseJsonText(text);
  } catch (error) {
    if (nests && depth(text) > maxDepth) throw tooDeep(maxDepth);
    throw error instanceof UnreadableNumber ? unreadable(text, error) : notJson(text);
  }
  if (nests && text.length <= MAX_WALKED && isDeeper(value, maxDepth)) throw tooDeep(maxDepth);
  if (typeof value === "object" && membersOfText(text) !== membersOfValue(value))
    refuse(repeatedMembers(text, NO_NAMES));
  return value;
}

function unreadable(text: string, { message, offset }: UnreadableNumber): AuthorizerError {
  const path = text.length > MAX_LOCATED ? [] : getLocation(text, offset).path;
  return invalidRequest([{ pointer: path.reduce<string>(pointTo, ""), message }]);
}

function notJson(text: string): AuthorizerError {
  return invalidRequest([{ pointer: "", message: firstFault(text) }], "the body is not valid JSON");
}

function tooDeep(maxDepth: number): AuthorizerError {
  return invalidRequest([{ pointer: "", message: `nested deeper than ${maxDepth} levels` }]);
}

/** Returns whether a parsed value has arrays and objects below `levels` others. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((element) => isDeeper(element, levels - 1));
  // Parsed JSON inherits no enumerable member.
  for (const name in value) {
    if (isDeeper((value as Record<string, unknown>)[name], levels - 1)) return true;
  }
  return false;
}

/** Returns whether a text has more opening brackets than `levels`: cheap, and nearly always the last word. */
function mayNestDeeper(text: string, levels: number): boolean {
  return hasMoreThan(text, "{", levels) || hasMoreThan(text, "[", levels);
}

function hasMoreThan(text: string, bracket: string, levels: number): boolean {
  const half = levels >> 1;
  let found = 0;
  for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
    if (++found > half) return true;
  }
  return false;
}

/** Deepest nesting of a text, brackets in strings left out. */
function depth(text: string): number {
  let open = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (inString) {
      if (unit === BACKSLASH) index++;
      else if (unit === QUOTE) inString = false;
    } else if (unit === QUOTE) inString = true;
    else if (unit === OPENING_BRACE || unit === OPENING_BRACKET) deepest = Math.max(deepest, ++open);
    else if (unit === CLOSING_BRACE || unit === CLOSING_BRACKET) open--;
  }
  return deepest;
}

/** Returns the first fault and its place; V8's own message would quote the body. */
function firstFault(text: string): string {
  if (text.length > MAX_LOCATED) return "not valid JSON";
  let fault = "";
  visit(
    text,
    {
      onError: (code, _offset, _length, line, character) => {
        if (fault === "") fault = `: ${faultName(code)} at line ${line + 1}, column ${character + 1}`;
      },
    },
    { disallowComments: true, allowTrailingComma: false },
  );
  return `not valid JSON${fault}`;
}

function faultName(code: ParseError["error"]): string {
  return printParseErrorCode(code)
    .replace(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toLowerCase();
}

/** True for a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns whether an object that was parsed from JSON has this many members. */
export function hasMembers(object: Record<string, unknown>, count: number): boolean {
  let left = count;
  // Parsed JSON inherits no enumerable member.
  for (const _name in object) left--;
  return left === 0;
}

/** Throws "invalid_request" unless a body is a JSON object. */
export function requireObject(body: unknown): Record<string, unknown> {
  if (isObject(body)) return body;
  throw new AuthorizerError("invalid_request", "invalid request", {
    problems: [{ pointer: "", message: "expected a JSON object" }],
  });
}
