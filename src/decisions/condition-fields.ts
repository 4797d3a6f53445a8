/**
 * Condition fields from attributes (decision-api.md §2 "properties", §4): `subject.X`, `resource.X`, `action.X` and
 * `context.X`. A list of scalars has several values, null is missing, an object gives fields by dotted path.
 */

import type { Properties, PropertyValue } from "../model/entities.ts";

const MOST_LEVELS = 5;
/** What no operator can read: an evaluation error of its own statement. */
const UNREADABLE: readonly string[] = [];

type Fields = Map<string, string | readonly string[]>;

function scalarText(value: PropertyValue): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? JSON.stringify(value) : undefined;
}

function isObject(value: PropertyValue): value is Properties {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function addValue(fields: Fields, name: string, value: PropertyValue, level: number): void {
  if (value === null) return;
  const text = scalarText(value);
  if (text !== undefined) fields.set(name, text);
  else if (isObject(value) && level < MOST_LEVELS) addProperties(fields, `${name}.`, value, level + 1);
  else fields.set(name, Array.isArray(value) ? listTexts(value) : UNREADABLE);
}

function listTexts(values: readonly PropertyValue[]): readonly string[] {
  const texts = values.map(scalarText);
  return texts.every((text) => text !== undefined) ? texts : UNREADABLE;
}

/** Adds properties under a prefix; a later call overwrites what an earlier one set. */
export function addProperties(
  fields: Fields,
  prefix: string,
  properties: Properties | undefined,
  level = 1,
): void {
  for (const [name, value] of Object.entries(properties ?? {})) addValue(fields, prefix + name, value, level);
}

/** The field of a caller's address. Whatever is no text stays no IP address (evaluation.md §7). */
export function sourceIpOf(context: Properties | undefined): string | undefined {
  const value = context !== undefined && Object.hasOwn(context, "SourceIp") ? context["SourceIp"] : undefined;
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
}
