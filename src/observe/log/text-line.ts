/**
 * The shape of log lines on disk and terminals: one line per entry, whatever callers put into names and values
 * (spec/security §5.2). Control characters, line separators, invisible and direction-changing characters and lone
 * surrogates are written as `\uXXXX`.
 */

import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";

/** In a JSON text all C0 characters are escaped already, so that those left are its own white space. */
const UNPRINTABLE_IN_JSON = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Most texts are such: to look at them for what must be escaped takes a tenth of the time. */
const PLAIN_JSON = /^[ -~]*$/;
const PLAIN_VALUE = /^[!#-<>-[\]-~]+$/;

const BARE_VALUE = /^[^\s"=\\\p{C}\p{Z}]+$/u;
const BARE_MESSAGE = /^[^"=\\\p{C}\p{Zl}\p{Zp}]+$/u;

const LEVEL_WIDTH = 5;

/** Escapes what JSON allows in a text and a terminal or a line reader acts on; the JSON keeps its meaning. */
export function escapeJsonLine(json: string): string {
  return PLAIN_JSON.test(json) ? json : json.replace(UNPRINTABLE_IN_JSON, escapeUnits);
}

function escapeUnits(text: string): string {
  let escaped = "";
  for (let index = 0; index < text.length; index++) {
    escaped += `\\u${text.charCodeAt(index).toString(16).padStart(4, "0")}`;
  }
  return escaped;
}

function quote(text: string): string {
  return escapeJsonLine(JSON.stringify(text));
}

function renderValue(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return PLAIN_VALUE.test(text) || BARE_VALUE.test(text) ? text : quote(text);
}

/** Objects become one pair for each of their members, named by path, so that errors stay readable. */
function renderPairs(name: string, value: unknown, pairs: string[]): void {
  const members =
    typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
  if (members.length === 0) pairs.push(`${renderValue(name)}=${renderValue(value)}`);
  for (const [member, own] of members) renderPairs(`${name}.${member}`, own, pairs);
}

/** The parts of an entry that each has. */
interface EntryHead {
  readonly time: string;
  readonly level: string;
  readonly message: string;
}

function renderHead({ time, level, message }: EntryHead): string {
  const text = BARE_MESSAGE.test(message) ? message : quote(message);
  return `${time} ${level.toUpperCase().padEnd(LEVEL_WIDTH)} ${text}`;
}

/**
 * One entry as text: `2026-11-21T10:00:00.000Z INFO  message key=value key="quoted value"`, without line end.
 * @param json the entry as a JSON object with `time`, `level` and `message`
 */
export function renderTextLine(json: string): string {
  const { time, level, message, ...fields } = parseJsonText(json) as Record<string, unknown>;
  const text = typeof message === "string" ? message : "";
  const parts = [renderHead({ time: String(time), level: String(level), message: text })];
  for (const [name, value] of Object.entries(fields)) renderPairs(name, value, parts);
  return parts.join(" ");
}

/** The same of an entry without objects among its fields, past JSON; undefined for any other. */
export function renderFlatLine(
  head: EntryHead,
  fields: Readonly<Record<string, unknown>>,
): string | undefined {
  let line = renderHead(head);
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    if (value === undefined) continue;
    if (typeof value === "object" && value !== null) return undefined;
    line += ` ${renderValue(name)}=${renderValue(value)}`;
  }
  return line;
}
