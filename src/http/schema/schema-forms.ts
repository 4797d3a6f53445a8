/** Short ways to write schemas. */

import type { Schema } from "../openapi/openapi-types.ts";

/** A reference to a schema of the components. */
export function schemaRef(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** A text. */
export function text(description: string): Schema {
  return { type: "string", description };
}

/** A list. */
export function listOf(items: Schema, description?: string): Schema {
  return description === undefined ? { type: "array", items } : { type: "array", items, description };
}

/** An object in which the named fields must be there; further fields are not ruled out. */
export function object(
  properties: { readonly [name: string]: Schema },
  required: readonly string[] = Object.keys(properties),
): Schema {
  return required.length === 0 ? { type: "object", properties } : { type: "object", required, properties };
}

/** As {@link object}, and nothing else may be in it. */
export function closedObject(
  properties: { readonly [name: string]: Schema },
  required: readonly string[] = Object.keys(properties),
): Schema {
  return { ...object(properties, required), additionalProperties: false };
}

/** Seconds since 1970. */
export const UNIX_SECONDS: Schema = {
  type: "integer",
  minimum: 0,
  description: "Unix time in whole seconds, UTC.",
  examples: [1_795_274_820],
};

/** A text that may be absent or null. */
export function optionalText(description: string): Schema {
  return { type: ["string", "null"], description };
}
