/** Problems with JSON pointers from the errors of the validator. */

import { type Problem, pointTo } from "@svc-authorizer/policy/errors.ts";
import type { ErrorObject } from "ajv/dist/2020.js";
import type { JsonType, Schema } from "../openapi/openapi-types.ts";

const TYPES: Readonly<Record<string, string>> = {
  string: "a string",
  object: "an object",
  array: "an array",
  boolean: "true or false",
  integer: "a whole number",
  number: "a number",
};

/** Longest pointer, in characters: names of members may be as long as the body, and each problem below has them all. */
const LONGEST_POINTER = 1_000;

/** The message for a member that a schema does not have. */
export const UNKNOWN_FIELD = "unknown field";

/** Names of formats. */
const FORMATS: Readonly<Record<string, string>> = { byte: "base64" };

/**
 * Returns the problems of a value: one for each error, but of alternatives the errors of the one that the value's type
 * chooses, or else one that names them all.
 * @param pointer where the value is
 */
export function problemsOf(errors: readonly ErrorObject[], pointer = ""): readonly Problem[] {
  const left = errors.reduce((kept, error) => (isChoice(error) ? chosen(kept, error) : kept), errors);
  const mistyped = new Set(
    left.filter(({ keyword }) => keyword === "type").map((error) => error.instancePath),
  );
  return left
    .filter(({ keyword, instancePath }) => keyword === "type" || !mistyped.has(instancePath))
    .map((error) => shortened(problemOf(error, pointer)));
}

function shortened(problem: Problem): Problem {
  const { pointer } = problem;
  return pointer.length <= LONGEST_POINTER
    ? problem
    : { ...problem, pointer: `${pointer.slice(0, LONGEST_POINTER)}…` };
}

function isChoice({ keyword }: ErrorObject): boolean {
  return keyword === "oneOf" || keyword === "anyOf";
}

/** The errors without those of alternatives that were not meant. */
function chosen(errors: readonly ErrorObject[], choice: ErrorObject): readonly ErrorObject[] {
  const alternatives = choice.schema as readonly Schema[];
  const meant = alternatives.findIndex(
    ({ type }) => type !== undefined && [type].flat().includes(typeOf(choice.data)),
  );
  const below = ({ instancePath, schemaPath }: ErrorObject, index = "") =>
    instancePath.startsWith(choice.instancePath) && schemaPath.startsWith(`${choice.schemaPath}/${index}`);
  if (meant < 0) return errors.filter((error) => error === choice || !below(error));
  return errors.filter((error) => error !== choice && (!below(error) || below(error, `${meant}/`)));
}

function typeOf(value: unknown): JsonType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value as JsonType;
}

function problemOf(error: ErrorObject, pointer: string): Problem {
  const { keyword, params, instancePath, parentSchema } = error;
  const at = pointer + instancePath;
  if (keyword === "required") {
    return { pointer: pointTo(at, params["missingProperty"] as string), message: "required" };
  }
  if (keyword === "additionalProperties") {
    return { pointer: pointTo(at, params["additionalProperty"] as string), message: UNKNOWN_FIELD };
  }
  if (keyword === "oneOf") {
    const says = (parentSchema as Schema)["x-says"]?.[params["passingSchemas"] === null ? "none" : "several"];
    if (says !== undefined) return { pointer: at + says.at, message: says.message };
  }
  return { pointer: at, message: expected(error) };
}

function expected({ keyword, params, schema, parentSchema, data }: ErrorObject): string {
  if (keyword === "format") return `expected ${FORMATS[params["format"] as string] ?? params["format"]}`;
  if (keyword === "pattern") return (parentSchema as Schema)["x-form"] ?? `must match ${params["pattern"]}`;
  if (keyword === "enum") return `expected one of ${(schema as unknown[]).join(", ")}`;
  if (keyword === "maxProperties") return `more than ${params["limit"]} members`;
  if (keyword === "maxItems") return `more than ${params["limit"]} items`;
  if (keyword === "minimum") return `expected a whole number from ${params["limit"]}`;
  if (keyword === "textBytes") {
    return (data as string).isWellFormed() ? `longer than ${schema} bytes` : "not well-formed Unicode";
  }
  const types = isChoiceOf(schema) ? schema.map(({ type }) => type) : [params["type"]];
  const whole = types.flat().filter((type) => type !== "null" && type !== undefined);
  const named = whole.map((type) => TYPES[String(type)] ?? String(type)).join(" or ");
  return named === "" ? "not as documented" : `expected ${named}`;
}

function isChoiceOf(schema: unknown): schema is readonly Schema[] {
  return Array.isArray(schema) && schema.every((one) => typeof one === "object");
}
