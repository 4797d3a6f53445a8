/**
 * Parses JSON whose names somebody else chose. The `JSON.parse` of Node.js 24 and 26 misreads the name of a member that ends
 * in an escape, once it has parsed a like object with a name that ends in a backslash: after `{"a": 1, "x\\": 2}` it reads the
 * second name of `{"a": 1, "x\u00e9": 2}` as `x\` (https://github.com/nodejs/node/issues/63785). One caller could so change how
 * the request of another one is read. Here `JSON.parse` gets no name with an escape.
 */

const BACKSLASH = 0x5c;
const COLON = 0x3a;

/** A name with an escape: where its quotes are in the text. */
interface EscapedName {
  readonly start: number;
  readonly end: number;
}

/**
 * The value of a JSON text, with all names as they are.
 * @throws SyntaxError for a text that is not JSON
 */
export function parseJsonText(text: string): unknown {
  return hasEscapedName(text) ? parseRenamed(text) : JSON.parse(text);
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

/** True if a colon follows the string that ends at an index. */
function isName(text: string, end: number): boolean {
  let next = end + 1;
  while (isBlank(text.charCodeAt(next))) next++;
  return text.charCodeAt(next) === COLON;
}

/** The index of the quote that ends a string, from inside of it; the end of the text where none does. */
function endOfString(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === BACKSLASH) at++;
    else if (text[at] === '"') return at;
  }
  return text.length;
}

function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}

/** Writes names without escapes; where that cannot be, parses others in their place and puts the names back. */
function parseRenamed(text: string): unknown {
  const names = escapedNames(text);
  const decoded = names.map(({ start, end }) => JSON.parse(text.slice(start, end + 1)) as string);
  const prefix = unusedPrefix([text, ...decoded]);
  const standIns = new Map<string, string>();
  let rewritten = "";
  let from = 0;
  for (const [index, { start, end }] of names.entries()) {
    const name = decoded[index]!;
    rewritten += `${text.slice(from, start)}"${JSON.stringify(name).includes("\\") ? standIn(name) : name}"`;
    from = end + 1;
  }
  const value: unknown = JSON.parse(rewritten + text.slice(from));
  return standIns.size === 0 ? value : withNames(value, namesOf(standIns));

  function standIn(name: string): string {
    const known = standIns.get(name) ?? `${prefix}${standIns.size}`;
    standIns.set(name, known);
    return known;
  }
}

/** A text that no name of the document begins with. */
function unusedPrefix(texts: readonly string[]): string {
  let prefix = "~";
  while (texts.some((text) => text.includes(prefix))) prefix += "~";
  return prefix;
}

function namesOf(standIns: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...standIns].map(([name, standIn]) => [standIn, name]));
}

/** Puts names back in the place of those that stand for them. Without recursion: the value may be deep. */
function withNames(root: unknown, names: ReadonlyMap<string, string>): unknown {
  const top = { root };
  const left: object[] = [top];
  for (let holder = left.pop(); holder !== undefined; holder = left.pop()) {
    for (const [member, value] of Object.entries(holder)) {
      if (typeof value !== "object" || value === null) continue;
      const renamed = Array.isArray(value) ? value : renamedMembers(value as object, names);
      if (renamed !== value) define(holder, member, renamed);
      left.push(renamed);
    }
  }
  return top.root;
}

function renamedMembers(object: object, names: ReadonlyMap<string, string>): object {
  const members = Object.entries(object);
  if (!members.some(([name]) => names.has(name))) return object;
  const renamed = {};
  for (const [name, value] of members) define(renamed, names.get(name) ?? name, value);
  return renamed;
}

/** As `JSON.parse` does, `__proto__` is a member like any other. */
function define(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}
