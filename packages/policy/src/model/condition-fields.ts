/**
 * Condition fields from attributes (spec/decision-api §2.7, spec/decision-api §4.4): `subject.X`, `resource.X`,
 * `action.X` and `context.X`. A list of scalars has several values, null is missing, an object gives fields by dotted
 * path. A value that no operator can read is an evaluation error of its own statement.
 */

import { FIELD_LIMITS } from "./condition.ts";
import { type FieldValue, UNREADABLE } from "./decision.ts";
import type { Properties, PropertyValue } from "./entities.ts";

type Fields = Map<string, FieldValue>;

function scalarText(value: PropertyValue): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number") return Number.isFinite(value) ? JSON.stringify(value) : undefined;
  // Programs may give one; JSON has none.
  return typeof value === "boolean" || typeof value === "bigint" ? String(value) : undefined;
}

function isObject(value: PropertyValue): value is Properties {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isList(value: PropertyValue): value is readonly PropertyValue[] {
  return Array.isArray(value);
}

function addValue(fields: Fields, name: string, value: PropertyValue, level: number): void {
  // Each of the many leaves of a document could have a path as long as the document.
  if (value === null || name.length > FIELD_LIMITS.name) return;
  if (isObject(value)) {
    fields.set(name, UNREADABLE);
    if (level < FIELD_LIMITS.levels) addProperties(fields, `${name}.`, value, level + 1);
    return;
  }
  fields.set(name, isList(value) ? listTexts(value) : readable(scalarText(value)));
}

function readable(text: string | undefined): FieldValue {
  return text === undefined || text.length > FIELD_LIMITS.text ? UNREADABLE : text;
}

function listTexts(values: readonly PropertyValue[]): FieldValue {
  if (values.length > FIELD_LIMITS.values) return UNREADABLE;
  const texts: string[] = [];
  let length = 0;
  for (const value of values) {
    const text = scalarText(value);
    length += text?.length ?? 0;
    if (text === undefined || length > FIELD_LIMITS.text) return UNREADABLE;
    texts.push(text);
  }
  return texts;
}

/** Adds properties under a prefix; a later call overwrites what an earlier one set. Time is linear in their size. */
export function addProperties(
  fields: Fields,
  prefix: string,
  properties: Properties | undefined,
  level = 1,
): void {
  for (const [name, value] of Object.entries(properties ?? {})) addValue(fields, prefix + name, value, level);
}

/** True if the properties have more members than `most`, those of objects within them included. */
export function hasMoreFields(properties: Properties, most: number): boolean {
  let left = most;
  const isOver = (object: Properties, level: number): boolean => {
    // Parsed JSON inherits no enumerable member.
    for (const name in object) {
      if (--left < 0) return true;
      const value = object[name] as PropertyValue;
      if (level < FIELD_LIMITS.levels && isObject(value) && isOver(value, level + 1)) return true;
    }
    return false;
  };
  return isOver(properties, 1);
}

/** The field of a caller's address. A value that is not a text is not an IP address (spec/evaluation §7.6). */
export function sourceIpOf(context: Properties | undefined): string | undefined {
  const value = context !== undefined && Object.hasOwn(context, "SourceIp") ? context["SourceIp"] : undefined;
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
}
