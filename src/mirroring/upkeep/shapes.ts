/** Stored values by JSON Schema: what is stored may have been written by another version, or be damaged. */

import { schemaLibrary } from "@svc-authorizer/policy/schema-library.ts";
import type { Ajv2020, ErrorObject, ValidateFunction } from "ajv/dist/2020.js";
import { namespaceProblem } from "../names.ts";

/** The first place of a value that is not as it must be. */
export interface Misfit {
  /** Names and indexes of the way to it: `branches.main.heads.0`. */
  readonly at: string;
  readonly message: string;
  /** True for a member that this version does not know, where all that it knows is as it must be. */
  readonly isUnknownMember?: true;
}

/** Looks at a value; undefined where it has the shape. */
export type Shape = (value: unknown) => Misfit | undefined;

const TEXT_BYTES = 100;

/** The compiler of the schemas, made when the first is needed. */
let compiler: Ajv2020 | undefined;

function compile(schema: object): ValidateFunction {
  compiler ??= new (schemaLibrary().Ajv2020)({
    allErrors: true,
    verbose: true,
    strict: false,
    validateSchema: false,
    meta: false,
  }).addKeyword({
    keyword: "isNamespace",
    type: "string",
    validate: (_: true, value: string) => namespaceProblem(value) === undefined,
  });
  return compiler.compile(schema);
}

/**
 * The shape that a schema describes; it is compiled when it is first needed.
 * @param schema its `must` says what a value must be; with `isNamespace` a text is a storage namespace
 */
export function shapeOf(schema: object): Shape {
  let compiled: ValidateFunction | undefined;
  return (value) => {
    compiled ??= compile(schema);
    if (compiled(value)) return undefined;
    const errors = compiled.errors ?? [];
    return misfit(errors.find(({ keyword }) => keyword !== "additionalProperties") ?? errors[0]);
  };
}

function misfit(error: ErrorObject | undefined): Misfit | undefined {
  if (error === undefined) return undefined;
  const { keyword, params, instancePath, parentSchema, data } = error;
  const way = instancePath
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  const at = way.join(".");
  if (keyword === "required") {
    return { at: [...way, params["missingProperty"]].join("."), message: "is missing" };
  }
  if (keyword === "additionalProperties") {
    const message = "is a member that this version does not know";
    return { at: [...way, params["additionalProperty"]].join("."), message, isUnknownMember: true };
  }
  if (keyword === "maxItems") {
    return { at, message: `has ${(data as unknown[]).length} items, and may have ${params["limit"]}` };
  }
  if (keyword === "isNamespace") return { at, message: namespaceProblem(data as string) as string };
  const shown = JSON.stringify(data);
  const cut = shown.length > TEXT_BYTES ? `${shown.slice(0, TEXT_BYTES)}…` : shown;
  return { at, message: `must be ${parentSchema?.["must"]}, and is ${cut}` };
}
