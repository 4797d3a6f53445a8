/** Types in TypeScript from OpenAPI documents, for the sources of `packages/contract`. */

import { compile } from "json-schema-to-typescript";

/** A value of JSON. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
/** An object of JSON. */
export type JsonObject = { [key: string]: Json };

const REFERENCE = /^#\/components\/schemas\/(?<name>\w+)$/;

/** Names of the schemas that a part of the document refers to. */
export function referencesIn(part: Json, found: Set<string> = new Set()): Set<string> {
  if (part === null || typeof part !== "object") return found;
  if (Array.isArray(part)) {
    for (const each of part) referencesIn(each, found);
    return found;
  }
  for (const [key, value] of Object.entries(part)) {
    const name =
      key === "$ref" && typeof value === "string" ? REFERENCE.exec(value)?.groups?.["name"] : undefined;
    if (name === undefined) referencesIn(value, found);
    else found.add(name);
  }
  return found;
}

/**
 * A schema as the compiler of types wants it. Objects without named members are open. `anyOf` beside members says
 * which of them go together, which the types leave to the service.
 */
function asDefinition(part: Json, elsewhere: ReadonlySet<string>): Json {
  if (part === null || typeof part !== "object") return part;
  if (Array.isArray(part)) return part.map((one) => asDefinition(one, elsewhere));
  const name = typeof part["$ref"] === "string" && REFERENCE.exec(part["$ref"])?.groups?.["name"];
  if (name && elsewhere.has(name)) return { tsType: name };
  const members = Object.entries(part)
    .filter(([key]) => !(key === "anyOf" && "properties" in part))
    .map(([key, value]): [string, Json] =>
      key === "$ref" && typeof value === "string"
        ? [key, value.replace("#/components/schemas/", "#/$defs/")]
        : [key, asDefinition(value, elsewhere)],
    );
  const isOpen = [part["type"]].flat().includes("object") && !("properties" in part);
  return { ...(isOpen && { additionalProperties: true }), ...Object.fromEntries(members) };
}

/**
 * Compiles schemas, which refer to one another, to exported interfaces and types.
 * @param elsewhere names of types that the caller imports
 */
export async function typesOf(
  schemas: JsonObject,
  head: string,
  elsewhere: ReadonlySet<string> = new Set(),
): Promise<string> {
  const root = {
    title: "TypesOfApi",
    type: "object",
    additionalProperties: false,
    $defs: asDefinition(schemas, elsewhere),
  };
  const text = await compile(root as never, "TypesOfApi", {
    bannerComment: head,
    additionalProperties: false,
    unreachableDefinitions: true,
    ignoreMinAndMaxItems: true,
    unknownAny: true,
    strictIndexSignatures: false,
    format: true,
    style: { printWidth: 110 },
  });
  return text
    .replace("export interface TypesOfApi {}\n", "")
    .replace(/\n\/\*\*\n \* This interface was referenced by [^\n]*\n[^\n]*\n \*\//g, "")
    .replace(/ \*\n \* This interface was referenced by [^\n]*\n[^\n]*\n/g, "");
}
