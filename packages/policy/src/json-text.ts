/**
 * Parses JSON whose names and numbers somebody else chose. The `JSON.parse` of Node.js 24 and 26 misreads the name of a member that ends
 * in an escape, once it has parsed a like object with a name that ends in a backslash: after `{"a": 1, "x\\": 2}` it reads the
 * second name of `{"a": 1, "x\u00e9": 2}` as `x\` (https://github.com/nodejs/node/issues/63785). One caller could so change how
 * the request of another one is read. Here `JSON.parse` gets no name with an escape.
 */

import { randomBytes } from "node:crypto";
import { canonicalDecimal, TOO_MANY_DIGITS } from "./decimal.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const FIRST_PRINTABLE = 0x20;
const PREFIX_BYTES = 9;

type Members = Record<string, unknown>;

/** A name with an escape: where its quotes are in the text. */
interface EscapedName {
  readonly start: number;
  readonly end: number;
}

/** Thrown for a number that cannot be kept. */
export class UnreadableNumber extends SyntaxError {
  /** The index in the text at which it begins. */
  readonly offset: number;

  constructor(offset: number) {
    super(TOO_MANY_DIGITS);
    this.offset = offset;
  }
}

/** Fewer digits fit into a double, unless an exponent takes them out of its range. */
const LONG = 16;
const LARGE_EXPONENT = /[0-9.][eE][+-]?[0-9]{3}/;
const TOKEN = /"|-?\d[\d.eE+-]*/g;
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * The value of a JSON text, with all names as they are. A number that is no double is the text of its digits, as conditions
 * compare it ({@link canonicalDecimal}).
 * @throws UnreadableNumber for a number of more than 40 digits; SyntaxError for a text that is not JSON
 */
export function parseJsonText(text: string): unknown {
  const exact = mayHaveLongNumber(text) ? withExactNumbers(text) : text;
  return hasEscapedName(exact) ? parseRenamed(exact) : JSON.parse(exact);
}

/**
 * True for a text with a number of 16 digits or a large exponent, or what looks like one: a double may not be what it says.
 * Costs a twentieth of parsing.
 */
function mayHaveLongNumber(text: string): boolean {
  // So many digits cover one of these places.
  for (let at = LONG - 1; at < text.length; at += LONG) {
    if (!isDigitOrDot(text.charCodeAt(at))) continue;
    let start = at;
    while (isDigitOrDot(text.charCodeAt(start - 1)) && at - start < LONG) start--;
    let end = at + 1;
    while (isDigitOrDot(text.charCodeAt(end)) && end - start < LONG) end++;
    if (end - start >= LONG) return true;
  }
  return LARGE_EXPONENT.test(text);
}

function isDigitOrDot(unit: number): boolean {
  return unit <= 0x39 && (unit >= 0x30 || unit === 0x2e);
}

/** The text with each number that is no double as the text of its digits. */
function withExactNumbers(text: string): string {
  const pieces: string[] = [];
  let from = 0;
  TOKEN.lastIndex = 0;
  for (let token = TOKEN.exec(text); token !== null; token = TOKEN.exec(text)) {
    const [written] = token;
    if (written === '"') {
      TOKEN.lastIndex = endOfString(text, token.index + 1) + 1;
      continue;
    }
    const end = token.index + written.length;
    // What is no number, or the name of a member, is left for the parser to refuse.
    if (!JSON_NUMBER.test(written) || isName(text, end - 1)) continue;
    const digits = canonicalDecimal(written);
    if (digits === undefined) throw new UnreadableNumber(token.index);
    if (digits === JSON.stringify(Number(written))) continue;
    pieces.push(text.slice(from, token.index), `"${digits}"`);
    from = end;
  }
  return pieces.length === 0 ? text : pieces.join("") + text.slice(from);
}

/** True if the name of some member of a JSON text has an escape. Of a text that is not JSON, it may say so of others. */
export function hasEscapedName(text: string): boolean {
  // In JSON, a backslash is always in a string, so that only strings with one are looked at: that is a name if a colon follows.
  for (let at = text.indexOf("\\"); at >= 0; ) {
    const end = endOfString(text, at);
    if (isName(text, end)) return true;
    at = text.indexOf("\\", end);
  }
  return false;
}

function escapedNames(text: string): readonly EscapedName[] {
  const names: EscapedName[] = [];
  let backslash = text.indexOf("\\");
  for (let start = text.indexOf('"'); start >= 0 && backslash >= 0; ) {
    const end = endOfString(text, start + 1);
    if (backslash < start) backslash = text.indexOf("\\", start);
    if (backslash >= 0 && backslash < end && isName(text, end)) names.push({ start, end });
    start = text.indexOf('"', end + 1);
  }
  return names;
}

/** True if a colon follows the string that ends at an index: it is the name of a member. */
export function isName(text: string, end: number): boolean {
  let next = end + 1;
  while (isBlank(text.charCodeAt(next))) next++;
  return text.charCodeAt(next) === COLON;
}

/**
 * The index of the quote that ends a string; the end of the text where none does.
 * @param from an index in the string, not behind its first backslash
 */
export function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (before >= from && text.charCodeAt(before) === BACKSLASH) before--;
    if ((end - 1 - before) % 2 === 0) return end;
  }
  return text.length;
}

/** True for a code unit of white space between the tokens of JSON. */
export function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}

/** Writes names without escapes; where that cannot be, parses others in their place and puts the names back. */
function parseRenamed(text: string): unknown {
  // Short, and known to nobody who could have written a name that begins so.
  const prefix = randomBytes(PREFIX_BYTES).toString("base64url");
  const standIns = new Map<string, string>();
  const names = new Map<string, string>();
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end } of escapedNames(text)) {
    const name = JSON.parse(text.slice(start, end + 1)) as string;
    pieces.push(text.slice(from, start + 1), needsEscape(name) ? standIn(name) : name);
    from = end;
  }
  pieces.push(text.slice(from));
  const value: unknown = JSON.parse(pieces.join(""));
  return names.size === 0 ? value : withNames(value, names);

  function standIn(name: string): string {
    let known = standIns.get(name);
    if (known === undefined) {
      known = `${prefix}${standIns.size}`;
      standIns.set(name, known);
      names.set(known, name);
    }
    return known;
  }
}

/** True for a text that no JSON string can have as it is. */
function needsEscape(name: string): boolean {
  for (let at = 0; at < name.length; at++) {
    const unit = name.charCodeAt(at);
    if (unit < FIRST_PRINTABLE || unit === QUOTE || unit === BACKSLASH) return true;
  }
  return false;
}

/** Puts names back in the place of those that stand for them. Without recursion: the value may be deep. */
function withNames(root: unknown, names: ReadonlyMap<string, string>): unknown {
  const top: Members = { root };
  const left: Members[] = [top];
  for (let holder = left.pop(); holder !== undefined; holder = left.pop()) {
    // Parsed JSON inherits no enumerable member.
    for (const member in holder) {
      const value = holder[member];
      if (typeof value !== "object" || value === null) continue;
      const renamed = Array.isArray(value) ? value : renamedMembers(value as Members, names);
      if (renamed !== value) set(holder, member, renamed);
      left.push(renamed as Members);
    }
  }
  return top["root"];
}

function renamedMembers(object: Members, names: ReadonlyMap<string, string>): Members {
  if (!hasNameOf(object, names)) return object;
  const renamed: Members = {};
  for (const member in object) set(renamed, names.get(member) ?? member, object[member]);
  return renamed;
}

function hasNameOf(object: Members, names: ReadonlyMap<string, string>): boolean {
  for (const member in object) if (names.has(member)) return true;
  return false;
}

/** As `JSON.parse` does, `__proto__` is a member like any other. */
function set(object: Members, name: string, value: unknown): void {
  if (name !== "__proto__") object[name] = value;
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}
