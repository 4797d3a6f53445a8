/** Fields of answers: what a server leaves out, or gives another type, is shown as nothing. */

import type { JsonObject } from "../api/api-client.ts";
import { isObject } from "../api/pages.ts";

/** A text field; "" where it is none. */
export function textField<Of extends object>(object: Of, name: keyof Of & string): string {
  const value: unknown = object[name];
  return typeof value === "string" ? value : "";
}

/** The objects of a list; none where there is no list. */
export function objectsIn<Of extends object>(value: readonly Of[] | undefined): readonly Of[];
export function objectsIn(value: unknown): readonly JsonObject[];
export function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
