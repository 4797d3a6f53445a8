/**
 * Copies log fields into plain JSON data: it replaces secrets by field name at any depth, expands errors, and never
 * throws or loops. It does not find a secret inside a message.
 */

/** The text in place of a secret. */
export const REDACTED = "<redacted>";

/** Fields of an entry. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Endings of secret fields, compared in lower case without `_`, `-`, `.` and blanks. */
const SECRET_NAME =
  /(?:tokens?|token(?:sha256|hash)|secrets?|secret(?:access)?keys?|privatekeys?|apikeys?|passwords?|passphrases?|authorization|cookies?|connectionstrings?|signature)$/;

const MAX_DEPTH = 40;
const MAX_CAUSES = 5;
const MAX_AGGREGATED = 10;

/** Names that pino or an entry itself uses: a field of such a name gets the prefix `fields.`. */
const RESERVED = new Set(["time", "level", "message", "event"]);

/** Answers about names: entries have the same few again and again. */
const judged = new Map<string, boolean>();
const MOST_JUDGED = 1_000;
const LONGEST_JUDGED = 100;

/** True when a field of this name holds a secret. */
export function isSecretName(name: string): boolean {
  const known = judged.get(name);
  if (known !== undefined) return known;
  const secret = SECRET_NAME.test(name.toLowerCase().replace(/[_\-. ]/g, ""));
  if (name.length <= LONGEST_JUDGED && judged.size < MOST_JUDGED) judged.set(name, secret);
  return secret;
}

/** State of one copy: the objects above the current one, and the longest text kept. */
interface Copying {
  readonly above: object[];
  readonly maxText: number;
}

/**
 * The fields as plain data.
 * @param fields any values; functions and undefined are left out
 * @param maxText UTF-16 units after which a text is cut, with a remark; default no limit
 */
export function loggable(fields: LogFields, maxText = Number.POSITIVE_INFINITY): Record<string, unknown> {
  const copying: Copying = { above: [fields], maxText };
  const copy: Record<string, unknown> = {};
  for (const [name, value] of entriesOf(fields)) {
    const key = RESERVED.has(name) || name in Object.prototype ? `fields.${name}` : name;
    copy[key] = copyField(name, value, copying);
  }
  return copy;
}

function entriesOf(value: object): [string, unknown][] {
  return Object.keys(value).map((name) => {
    try {
      return [name, (value as Record<string, unknown>)[name]];
    } catch {
      return [name, "[unreadable]"];
    }
  });
}

function copyField(name: string, value: unknown, copying: Copying): unknown {
  if (value !== null && value !== undefined && typeof value !== "boolean" && isSecretName(name)) {
    return REDACTED;
  }
  return copyValue(value, copying);
}

function copyValue(value: unknown, copying: Copying): unknown {
  switch (typeof value) {
    case "string":
      return cut(value, copying.maxText);
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "bigint":
      return String(value);
    case "symbol":
    case "function":
      return undefined;
    case "object":
      return value === null ? null : copyObject(value, copying);
    default:
      return value;
  }
}

function cut(text: string, maxText: number): string {
  return text.length > maxText ? `${text.slice(0, maxText)}… (${text.length - maxText} more)` : text;
}

function copyObject(value: object, copying: Copying): unknown {
  if (copying.above.includes(value)) return "[circular]";
  if (copying.above.length >= MAX_DEPTH) return "[too deep]";
  copying.above.push(value);
  try {
    return copyMembers(value, copying);
  } catch {
    return "[unreadable]";
  } finally {
    copying.above.pop();
  }
}

function copyMembers(value: object, copying: Copying): unknown {
  if (value instanceof Error) return copyError(value, copying);
  if (Array.isArray(value)) return value.map((item) => copyValue(item, copying) ?? null);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "[invalid date]" : value.toISOString();
  if (value instanceof URL) return `${value.origin}${value.pathname}`;
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  if (value instanceof Set) return Array.from(value, (item) => copyValue(item, copying) ?? null);
  const entries = value instanceof Map ? namedEntries(value) : entriesOf(value);
  // Defined, not assigned: `__proto__` is a name like any other here.
  return Object.fromEntries(entries.map(([name, item]) => [name, copyField(name, item, copying)]));
}

function namedEntries(map: ReadonlyMap<unknown, unknown>): [string, unknown][] {
  return Array.from(map, ([key, value]) => [String(key), value]);
}

/** Only the known members: errors of clients carry requests with credentials as further ones. */
function copyError(error: Error, copying: Copying): unknown {
  const { code, problems, errors } = error as { code?: unknown; problems?: unknown; errors?: unknown };
  const causes = copying.above.filter((item) => item instanceof Error).length;
  return {
    name: cut(String(error.name), copying.maxText),
    message: cut(String(error.message), copying.maxText),
    ...(typeof code === "string" || typeof code === "number" ? { code } : {}),
    ...(Array.isArray(problems) && problems.length > 0 ? { problems: copyValue(problems, copying) } : {}),
    ...(Array.isArray(errors) ? { errors: copyValue(errors.slice(0, MAX_AGGREGATED), copying) } : {}),
    ...(error.cause === undefined || causes > MAX_CAUSES ? {} : { cause: copyValue(error.cause, copying) }),
    stack: typeof error.stack === "string" ? cut(error.stack, copying.maxText) : undefined,
  };
}
