/**
 * The schemas of documents: bodies declare some members as objects and no more, where a JSON Schema of `policies/schema` says
 * what is in them. Their lists are filled like all others.
 */

import { readFileSync } from "node:fs";
import type { OpenApiDocument, Schema } from "../../../src/http/openapi/openapi-types.ts";

type Schemas = OpenApiDocument["components"]["schemas"];

/** Schemas of bodies that have a document, the names of the members to it, and the schema of what is there. */
const PLACES: readonly (readonly [body: string, path: readonly string[], schema: string])[] = [
  ["ApplyRequest", ["documents", "0"], "document-dataset"],
  ["PolicyLintRequest", ["document"], "document-dataset"],
  ["PolicyCompareRequest", ["document"], "document-policy"],
];

/** Files whose schemas refer to each other. */
const FILES = ["dataset", "policy", "resource-type"] as const;

const readSchema = (file: string): string =>
  readFileSync(new URL(`../../../policies/schema/${file}.schema.json`, import.meta.url), "utf8");

/** The schemas of the files: `document-FILE`, and their parts as `document-FILE-$defs-NAME` and `document-FILE-properties-NAME`. */
function documentSchemas(): Schemas {
  const found: Record<string, Schema> = {};
  for (const file of FILES) {
    const text = readSchema(file).replaceAll(
      /"(?:([a-z-]+)\.schema\.json)?#\/(\$defs|properties)\/([A-Za-z]+)"/g,
      (_, other: string | undefined, kind: string, name: string) =>
        JSON.stringify(`#/components/schemas/document-${other ?? file}-${kind}-${name}`),
    );
    const { $schema: _, $id: _id, $defs = {}, ...schema } = JSON.parse(text);
    found[`document-${file}`] = schema;
    for (const [kind, parts] of [["$defs", $defs] as const, ["properties", schema.properties] as const])
      for (const [name, part] of Object.entries(parts))
        found[`document-${file}-${kind}-${name}`] = part as Schema;
  }
  return found;
}

/** Returns a document of OpenAPI whose bodies say what is in the documents that they have. */
export function withDocuments(document: OpenApiDocument): OpenApiDocument {
  const { schemas } = document.components;
  const all: Record<string, Schema> = { ...schemas, ...documentSchemas() };
  for (const [body, path, schema] of PLACES) {
    const own = schemas[body];
    if (own !== undefined) all[body] = placed(own, path, { $ref: `#/components/schemas/${schema}` });
  }
  return { ...document, components: { ...document.components, schemas: all } };
}

/** The schema with another one at the place; a text in its place stays allowed. */
function placed(schema: Schema, [step, ...rest]: readonly string[], at: Schema): Schema {
  if (step === undefined)
    return [schema.type].flat().includes("string") ? { anyOf: [at, { type: "string" }] } : at;
  const inner = step === "0" ? schema.items : schema.properties?.[step];
  if (inner === undefined) throw new Error(`no body has a document at ${step}`);
  const made = placed(inner, rest, at);
  return step === "0"
    ? { ...schema, items: made }
    : { ...schema, properties: { ...schema.properties, [step]: made } };
}
