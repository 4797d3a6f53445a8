/** The JSON Schemas of `policies/schema/`, compiled with ajv on first use. Errors are returned as problems. */

import type { Ajv2020, ErrorObject } from "ajv/dist/2020.js";
import { AuthorizerError, type Problem, pointTo } from "../errors.ts";
import { schemaLibrary } from "../schema-library.ts";
import type { Schema, SchemaName } from "./catalog.ts";

/** Annotation in our schemas: the message for a choice, constant or pattern that does not match. */
const ANNOTATION = "problem";
const ANNOTATED: ReadonlySet<string> = new Set(["const", "enum", "oneOf", "pattern"]);

function annotation(error: ErrorObject): string | undefined {
  const text: unknown = ANNOTATED.has(error.keyword) ? error.parentSchema?.[ANNOTATION] : undefined;
  return typeof text === "string" ? text : undefined;
}

function describe(error: ErrorObject): string {
  const { keyword, params } = error;
  const annotated = annotation(error);
  if (annotated !== undefined) return annotated;
  if (keyword === "required") return `needs "${params["missingProperty"]}"`;
  if (keyword === "type") return `must be ${[params["type"]].flat().join(" or ")}`;
  if (keyword === "minLength" || keyword === "minItems") return "must not be empty";
  if (keyword === "enum") return `must be one of ${(params["allowedValues"] as unknown[]).join(", ")}`;
  return error.message ?? "is not valid";
}

/** The beginning of the message about an element that is in its list twice; the index of the other one follows. */
export const SAME_AS = "is the same as element ";

function toProblem(error: ErrorObject): Problem {
  const { keyword, params, instancePath } = error;
  if (keyword === "additionalProperties") {
    const known = Object.keys((error.parentSchema?.["properties"] ?? {}) as object).join(", ");
    const pointer = pointTo(instancePath, params["additionalProperty"] as string);
    return { pointer, message: `is an unknown field; known are ${known}` };
  }
  if (keyword === "uniqueItems") {
    const { i, j } = params as { i: number; j: number };
    return {
      pointer: `${instancePath}/${Math.max(i, j)}`,
      message: `${SAME_AS}${Math.min(i, j)}`,
    };
  }
  return { pointer: instancePath, message: describe(error) };
}

/** True for an error inside an alternative: the error of the whole choice replaces it. */
function isAlternative(error: ErrorObject): boolean {
  return error.schemaPath.includes("/oneOf/");
}

/** The address below which editors find the schemas: that of `policies/schema` in the repository. */
export const SCHEMA_BASE =
  "https://raw.githubusercontent.com/svc-authorizer/svc-authorizer/main/policies/schema/";

/**
 * Opens the schemas by name.
 * @param documents the schema files, each with its address below {@link SCHEMA_BASE} as `$id`. They are trusted: a test validates them, because
 * validation at start would cost more than everything else.
 */
export function openSchemas(documents: readonly object[]): (name: SchemaName) => Schema {
  let compiler: Ajv2020 | undefined;
  return (name) => ({
    problems(document) {
      compiler ??= compilerOf(documents);
      const validate = compiler.getSchema(`${SCHEMA_BASE}${name}.schema.json`);
      if (validate === undefined) {
        throw new AuthorizerError("internal", `the policy data has no schema "${name}"`);
      }
      if (validate(document)) return [];
      return (validate.errors ?? []).filter((error) => !isAlternative(error)).map(toProblem);
    },
  });
}

function compilerOf(documents: readonly object[]): Ajv2020 {
  const ajv = new (schemaLibrary().Ajv2020)({
    allErrors: true,
    verbose: true,
    allowUnionTypes: true,
    meta: false,
    validateSchema: false,
    // Optimizing code that runs once takes longer than running it (10 of 45 ms at start).
    code: { optimize: false },
  });
  ajv.addKeyword(ANNOTATION);
  for (const document of documents) ajv.addSchema(document);
  return ajv;
}
