/** Fields of answers: what a server leaves out, or gives another type, is shown as nothing. */

import type { JsonObject } from "../api/api-client.ts";

/** A text field; "" where it is none. */
export function textField(object: JsonObject, name: string): string {
  const value = object[name];
  return typeof value === "string" ? value : "";
}
