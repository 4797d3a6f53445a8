/** Fields of answers: what a server leaves out, or gives another type, is shown as nothing. */

import type { JsonObject } from "../api/api-client.ts";
import { isObject } from "../api/pages.ts";

/** A text field; "" where it is none. */
export function textField(object: JsonObject, name: string): string {
  const value = object[name];
  return typeof value === "string" ? value : "";
}

/** The objects of a list; none where there is no list. */
export function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
