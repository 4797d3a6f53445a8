/** Values that conditions compare, read from their texts (spec/decision-api §4; IAM, "Condition operators"). */

import { exactNumber } from "../decimal.ts";

const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const EPOCH = /^(-?)(\d{1,13})(?:\.(\d+))?$/;
/** The forms of the W3C's profile of ISO 8601: a year, a month, a day, and a time that has a zone. */
const W3C_DATE =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:Z|([+-])(\d\d):(\d\d)))?)?)?$/;
const MILLISECONDS_PER_SECOND = 1000;
const MILLISECONDS_PER_MINUTE = 60_000;
/** ECMAScript's range of dates, in milliseconds around 1970. */
const MOST_MILLISECONDS = 8.64e15;

/**
 * Parses a decimal number in JSON's notation. Returns undefined for any other text, for one that no double is, and for
 * magnitudes above 2^53 − 1: a double cannot tell such neighbours apart, so two identifiers would compare as equal.
 */
export function parseNumber(text: string): number | undefined {
  if (!NUMBER.test(text)) return undefined;
  const number = exactNumber(text);
  return number !== undefined && Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : undefined;
}

/** Colons between the six parts of an ARN; further ones belong to the last part. */
const ARN_COLONS = 5;

/** The six parts of an ARN; undefined for a text that has fewer or does not begin with `arn`. */
export function arnParts(text: string): readonly string[] | undefined {
  const parts: string[] = [];
  let from = 0;
  while (parts.length < ARN_COLONS) {
    const colon = text.indexOf(":", from);
    if (colon < 0) return undefined;
    parts.push(text.slice(from, colon));
    from = colon + 1;
  }
  return parts[0] === "arn" ? [...parts, text.slice(from)] : undefined;
}

/** Milliseconds from the first three digits of a fraction; further digits are cut off. */
function milliseconds(fraction: string | undefined): number {
  return Number((fraction ?? "").slice(0, 3).padEnd(3, "0"));
}

/** The start of a day, or undefined if the calendar has no such day. */
function dayOf(year: number, month: number, day: number): number | undefined {
  // Date.UTC reads the years 0 to 99 as 1900 to 1999; setUTCFullYear does not.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const same = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return same ? date.getTime() : undefined;
}

function parseW3cDate(match: RegExpMatchArray): number | undefined {
  const at = (group: number, missing: number): number => Number(match[group] ?? missing);
  const day = dayOf(at(1, 0), at(2, 1), at(3, 1));
  const [hour, minute, second] = [at(4, 0), at(5, 0), at(6, 0)];
  const [zoneHour, zoneMinute] = [at(9, 0), at(10, 0)];
  if (day === undefined || hour > 23 || minute > 59 || second > 59 || zoneHour > 23 || zoneMinute > 59)
    return undefined;
  const zone = (zoneHour * 60 + zoneMinute) * (match[8] === "-" ? -1 : 1);
  const seconds = second * MILLISECONDS_PER_SECOND + milliseconds(match[7]);
  return day + (hour * 60 + minute - zone) * MILLISECONDS_PER_MINUTE + seconds;
}

/**
 * Parses a date of the W3C's profile of ISO 8601, or a number of seconds since 1970 (four digits are a year). Returns
 * milliseconds since 1970, or undefined for any other text.
 */
export function parseDate(text: string): number | undefined {
  const date = W3C_DATE.exec(text);
  if (date !== null) return parseW3cDate(date);
  const epoch = EPOCH.exec(text);
  if (epoch === null) return undefined;
  const magnitude = Number(epoch[2]) * MILLISECONDS_PER_SECOND + milliseconds(epoch[3]);
  if (magnitude > MOST_MILLISECONDS) return undefined;
  return epoch[1] === "-" ? -magnitude : magnitude;
}
