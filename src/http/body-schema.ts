/** Bodies against the schemas that their routes declare: every problem at once, each with its JSON pointer. */

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { Problem } from "../errors.ts";
import { invalidRequest } from "./errors.ts";
import type { Schema, Schemas } from "./openapi-types.ts";
import { problemsOf } from "./schema-problems.ts";

const ID = "bodies";
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Keywords about the shape of a body: which members, of which types. */
const SHAPE: ReadonlySet<string> = new Set([
  "$ref",
  "type",
  "format",
  "items",
  "properties",
  "required",
  "additionalProperties",
]);

/** Throws "invalid_request" with every problem of a body; a promise rejects with it, and only on heavy routes. */
export type ValidateBody = (body: unknown) => void | Promise<void>;

/** Compiles schemas of bodies on first use. */
export class BodySchemas {
  readonly #schemas: Schemas;
  #ajv: Ajv2020 | undefined;

  /** @param schemas what the schemas of bodies may refer to */
  constructor(schemas: Schemas) {
    this.#schemas = schemas;
  }

  /**
   * The check of a body by its shape alone. Values (names, effects, patterns) are checked by the use case, which has
   * rules and messages of its own and looks at them after it knows that what the call names exists.
   */
  shape(schema: Schema): ValidateBody {
    let validate: ValidateFunction | undefined;
    return (body) => {
      this.#ajv ??= compiler(this.#schemas);
      validate ??= this.#ajv.compile(JSON.parse(localReferences(shapeOf(schema))));
      if (!validate(body)) throw invalidRequest([...problemsOf(validate.errors ?? [])].sort(byPointer));
    };
  }
}

function compiler(schemas: Schemas): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    allowUnionTypes: true,
    strict: false,
    validateSchema: false,
    meta: false,
    formats: { byte: BASE64, "date-time": true },
  });
  const shapes = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, shapeOf(schema)]));
  return ajv.addSchema({ $id: ID, $defs: JSON.parse(localReferences(shapes)) });
}

/** As JSON, with references to where the compiler keeps the schemas. */
function localReferences(value: unknown): string {
  return JSON.stringify(value).replaceAll('"#/components/schemas/', `"${ID}#/$defs/`);
}

/** A schema without what it says about values. */
function shapeOf(schema: Schema): Schema {
  const { items, properties, additionalProperties, ...rest } = Object.fromEntries(
    Object.entries(schema).filter(([keyword]) => SHAPE.has(keyword)),
  ) as Schema;
  return {
    ...rest,
    ...(items === undefined ? {} : { items: shapeOf(items) }),
    ...(typeof additionalProperties === "object"
      ? { additionalProperties: shapeOf(additionalProperties) }
      : {}),
    ...(additionalProperties === false ? { additionalProperties } : {}),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, member]) => [name, shapeOf(member)]),
          ),
        }),
    ...typeOfValues(schema),
  };
}

/** The type that an enumeration of texts implies. */
function typeOfValues({ type, enum: values }: Schema): Schema {
  const texts = type === undefined && values?.every((value) => typeof value === "string") === true;
  return texts ? { type: "string" } : {};
}

function byPointer(a: Problem, b: Problem): number {
  return a.pointer.localeCompare(b.pointer, "en", { numeric: true });
}
