/** Values against the document's schemas. */

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { Schema, Schemas } from "../../../src/http/openapi/openapi-types.ts";
import { DOCUMENT } from "./document.ts";

const ID = "document";
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** A fresh ajv that knows these schemas of the document; in strict mode, so it refuses keywords that it does not know. */
export function ajvWith(schemas: Schemas): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    strictRequired: false,
    strictTypes: false,
    allowUnionTypes: true,
    allErrors: true,
    formats: { "date-time": RFC3339, byte: BASE64 },
  });
  return ajv.addSchema({ $id: ID, $defs: JSON.parse(standingIn(schemas)) });
}

/** Compiles a schema that refers to those of the document. */
export function compile(ajv: Ajv2020, schema: Schema): ValidateFunction {
  return ajv.compile(JSON.parse(standingIn(schema)));
}

/** As JSON, with references to where {@link ajvWith} keeps the schemas. */
function standingIn(value: unknown): string {
  return JSON.stringify(value).replaceAll('"#/components/schemas/', `"${ID}#/$defs/`);
}

/**
 * The document in which objects have no other fields than those it names: a client may ignore further fields of an
 * answer, but ours shall name all that there are.
 */
export function closed<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(closed) as T;
  const copy = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, closed(inner)]));
  const names = "properties" in copy && [copy["type"]].flat().includes("object");
  return (names && !("additionalProperties" in copy) ? { ...copy, additionalProperties: false } : copy) as T;
}

const AJV = {
  request: ajvWith(DOCUMENT.components.schemas),
  answer: ajvWith(closed(DOCUMENT.components.schemas)),
};
const compiled = new Map<string, ValidateFunction>();

function problems(schema: Schema, value: unknown, side: keyof typeof AJV): readonly string[] {
  const key = `${side} ${JSON.stringify(schema)}`;
  const validate = compiled.get(key) ?? compile(AJV[side], schema);
  compiled.set(key, validate);
  if (validate(value)) return [];
  return (validate.errors ?? []).map((error) => {
    return `${error.instancePath || "/"} ${error.message} ${JSON.stringify(error.params)}`;
  });
}

/** Returns the parts of a request's value that the document rules out. */
export function requestProblems(schema: Schema, value: unknown): readonly string[] {
  return problems(schema, value, "request");
}

/** Returns the parts of an answer's value that the document does not name or rules out. */
export function answerProblems(schema: Schema, value: unknown): readonly string[] {
  return problems(schema, value, "answer");
}
