/**
 * Large JSON texts, parsed in steps between which other requests are served. `JSON.parse` cannot be interrupted, and a
 * megabyte of small values takes it up to a second. So brackets, strings and commas are scanned here, and `JSON.parse`
 * reads groups of members that are small.
 */

import { isBlank, parseJsonText, UnreadableNumber } from "@svc-authorizer/policy/json-text.ts";

/** Longest text that is given to `JSON.parse` in one step, unless it is a single string or number. */
const GROUP_LENGTH = 16 << 10;
const SCANNED_PER_STEP = 64 << 10;
/** Longest member that is scanned without a generator: of a longer one, this much is scanned twice. */
const SMALL = 1 << 10;
/** Characters of a string that are looked at one by one before its end is searched for. */
const NEAR = 16;
/** The same behind a string that was longer than {@link NEAR}: in lists of ARNs the next one is, too. */
const NEAR_IN_LONG = 2;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const BLANK = /^[ \t\n\r]*$/;

/** The most that a text may have. */
export interface JsonBounds {
  /** Deepest nesting of arrays and objects. */
  readonly depth: number;
  /** Elements of arrays and members of objects, at every depth. */
  readonly values: number;
  /** Characters of a string or number, which cannot be read in steps. */
  readonly scalar: number;
  /** Members of one object: its table of names grows in steps that cannot be interrupted. */
  readonly members: number;
}

/** The bound that a text breaks. */
type Breach = keyof JsonBounds;

/** The size of a text that breaks no bound. */
interface JsonSize {
  /** Elements of arrays and members of objects, at every depth. */
  readonly values: number;
  /** Members of objects alone. */
  readonly names: number;
}

/** Thrown for a text that is not JSON. */
export class NotJson extends Error {}

/**
 * Finds the first bound that a text breaks, whether or not the text is JSON; where it breaks none, the size of its
 * value. To be run in steps.
 */
export function* findBreach(text: string, bounds: JsonBounds): Generator<undefined, Breach | JsonSize> {
  let depth = 0;
  let values = 0;
  let nextStep = SCANNED_PER_STEP;
  let scalar = 0;
  let names = 0;
  let near = NEAR;
  /** Members so far of the object or array at each depth. */
  const members: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      const end = endOfString(text, at, at + bounds.scalar, near);
      if (end - at > bounds.scalar) return "scalar";
      near = end - at > NEAR ? NEAR_IN_LONG : NEAR;
      at = end;
    } else if (isDigit(unit)) {
      if (++scalar > bounds.scalar) return "scalar";
    } else scalar = 0;
    if (opens(unit)) {
      if (++depth > bounds.depth) return "depth";
      members[depth] = 0;
      // The first value of what it opens; commas count the others.
      if (!closes(text.charCodeAt(at + 1)) && ++values > bounds.values) return "values";
    } else if (closes(unit)) depth--;
    else if (unit === COMMA && ++values > bounds.values) return "values";
    else if (unit === COLON) {
      const count = (members[depth] ?? 0) + 1;
      if (count > bounds.members) return "members";
      members[depth] = count;
      names++;
    }
    if (at >= nextStep) {
      nextStep = at + SCANNED_PER_STEP;
      yield;
    }
  }
  return { values, names };
}

/**
 * Parses a text as `JSON.parse` does. To be run in steps.
 * @throws NotJson for a text that is not JSON
 */
export function* parseInSteps(text: string): Generator<undefined, unknown> {
  return yield* parseRange(text, 0, text.length);
}

function* parseRange(text: string, from: number, to: number): Generator<undefined, unknown> {
  const [start, end] = trimmed(text, from, to);
  const opening = text.charCodeAt(start);
  if (end - start <= GROUP_LENGTH || !opens(opening)) return parseText(text.slice(start, end));
  // "[" and "{" are two code units before their closing brackets.
  if (text.charCodeAt(end - 1) !== opening + 2) throw new NotJson();
  return yield* opening === 0x5b
    ? parseMembers(text, start + 1, end - 1, new ArrayTarget())
    : parseMembers(text, start + 1, end - 1, new ObjectTarget());
}

/** An array or an object that members are put into. */
interface Target {
  /** Adds the members in a text of several, with commas between them. */
  addGroup(text: string): void;
  /** Adds a large member, which stands between two indexes. */
  addLarge(text: string, from: number, to: number): Generator<undefined, void>;
  readonly value: unknown;
}

/** Reads what stands between the brackets of a large array or object. */
function* parseMembers(
  text: string,
  from: number,
  to: number,
  target: Target,
): Generator<undefined, unknown> {
  let group = from;
  let member = from;
  while (member <= to) {
    const end: number = endOfSmall(text, member, to) ?? (yield* endOfMember(text, member, to));
    const isOnly = member === from && end === to;
    if (end - member > GROUP_LENGTH) {
      if (group < member) addGroup(text.slice(group, member - 1), target);
      if (!isOnly || !BLANK.test(text.slice(member, end))) yield* target.addLarge(text, member, end);
      group = end + 1;
      yield;
    } else if (end - group > GROUP_LENGTH || end === to) {
      if (!isOnly || !BLANK.test(text.slice(group, end))) addGroup(text.slice(group, end), target);
      group = end + 1;
      yield;
    }
    member = end + 1;
  }
  return target.value;
}

/** Adds members to a target; a blank text has none, though a comma promises one. */
function addGroup(text: string, target: Target): void {
  if (BLANK.test(text)) throw new NotJson();
  target.addGroup(text);
}

/**
 * As {@link endOfMember}, without steps; undefined for a member of more than {@link SMALL}. Most members are small,
 * and a generator for each takes longer than to scan it.
 */
function endOfSmall(text: string, from: number, to: number): number | undefined {
  const end = Math.min(to, from + SMALL);
  let depth = 0;
  for (let at = from; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = endOfString(text, at);
    else if (opens(unit)) depth++;
    else if (closes(unit)) {
      if (--depth < 0) throw new NotJson();
    } else if (unit === COMMA && depth === 0) return at;
  }
  return end === to ? to : undefined;
}

/** The index of the comma that ends a member, or `to`. */
function* endOfMember(text: string, from: number, to: number): Generator<undefined, number> {
  let depth = 0;
  let nextStep = from + SCANNED_PER_STEP;
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = endOfString(text, at);
    else if (opens(unit)) depth++;
    else if (closes(unit)) {
      if (--depth < 0) throw new NotJson();
    } else if (unit === COMMA && depth === 0) return at;
    if (at >= nextStep) {
      nextStep = at + SCANNED_PER_STEP;
      yield;
    }
  }
  return to;
}

class ArrayTarget implements Target {
  readonly value: unknown[] = [];

  addGroup(text: string): void {
    for (const element of parseText(`[${text}]`) as unknown[]) this.value.push(element);
  }

  *addLarge(text: string, from: number, to: number): Generator<undefined, void> {
    this.value.push(yield* parseRange(text, from, to));
  }
}

class ObjectTarget implements Target {
  readonly value: Record<string, unknown> = {};

  addGroup(text: string): void {
    for (const [name, value] of Object.entries(parseText(`{${text}}`) as object)) this.#set(name, value);
  }

  *addLarge(text: string, from: number, to: number): Generator<undefined, void> {
    const [start] = trimmed(text, from, to);
    if (text.charCodeAt(start) !== QUOTE) throw new NotJson();
    const nameEnd = endOfString(text, start) + 1;
    const name = parseText(text.slice(start, nameEnd)) as string;
    const [colon] = trimmed(text, nameEnd, to);
    if (text.charCodeAt(colon) !== COLON) throw new NotJson();
    this.#set(name, yield* parseRange(text, colon + 1, to));
  }

  /** As `JSON.parse` does, `__proto__` is a member like any other. */
  #set(name: string, value: unknown): void {
    if (name !== "__proto__") this.value[name] = value;
    else {
      Object.defineProperty(this.value, name, {
        value,
        writable: true,
        enumerable: true,
        configurable: true,
      });
    }
  }
}

function parseText(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch (error) {
    throw error instanceof UnreadableNumber ? error : new NotJson();
  }
}

/**
 * The index of the quote that ends the string which begins at `from`. Where none does, the end of the text, or an index
 * after `last` once that is passed.
 * @param near characters that are looked at one by one before the end is searched for
 */
export function endOfString(text: string, from: number, last = text.length, near = NEAR): number {
  for (let at = from + 1; at < text.length; at++) {
    if (at > last) return at;
    const end = at === from + near ? plainEnd(text, at, last) : undefined;
    if (end !== undefined) return end;
    const unit = text.charCodeAt(at);
    if (unit === BACKSLASH) at++;
    else if (unit === QUOTE) return at;
  }
  return text.length;
}

/**
 * As {@link endOfString}, from inside of a string, by the search of the engine, which is quicker where the quote is far.
 * Undefined where a backslash stands before the quote: to search again after each would be slower.
 */
function plainEnd(text: string, from: number, last: number): number | undefined {
  const at = text.indexOf('"', from);
  if (at < 0) return text.length;
  return at > last || text.charCodeAt(at - 1) !== BACKSLASH ? at : undefined;
}

/** Start and end of a range without the white space around it. */
function trimmed(text: string, from: number, to: number): [start: number, end: number] {
  let [start, end] = [from, to];
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return [start, end];
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

function opens(unit: number): boolean {
  return unit === 0x5b || unit === 0x7b;
}

function closes(unit: number): boolean {
  return unit === 0x5d || unit === 0x7d;
}
