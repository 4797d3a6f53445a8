/**
 * Bodies against the whole of their declared schemas: every problem at once, each with its JSON pointer. Schemas with
 * names are checked one by one, so that the check of a long body can pause between them.
 */

import { type Problem, pointTo } from "@svc-authorizer/policy/errors.ts";
import { schemaLibrary } from "@svc-authorizer/policy/schema-library.ts";
import type { Ajv2020, ValidateFunction } from "ajv/dist/2020.js";
import { isObject } from "../body/json-body.ts";
import { fits } from "../body/text-bytes.ts";
import { invalidRequest } from "../errors.ts";
import type { Schema, Schemas } from "../openapi/openapi-types.ts";
import { problemsOf } from "./schema-problems.ts";

/** Elements of lists that are checked between two steps. */
const STEP = 64;
/** Most problems that are looked for. */
const MAX_PROBLEMS = 100;
/** Most members and elements of a value of which every problem is told: of a larger one, only the first. */
const MAX_SIZE = 2000;
/** Most characters of the names of its members: the pointer of each problem has them. */
const MAX_NAMES = 16_384;
/** Most members of an object whose names are free: to look at a hundred thousand takes a tenth of a second. */
const MAX_MEMBERS = 10_000;
/** Most unknown members of an object that are looked at one by one. */
const MAX_UNKNOWN = 100;
const PREFIX = "#/components/schemas/";
/** Numbers in pointers count as numbers. A collator for each comparison would take most of the time. */
const ORDER = new Intl.Collator("en", { numeric: true });

/** Finds what is wrong with a value at a pointer. */
type FindProblems = (value: unknown, pointer: string) => readonly Problem[];

/** Limits and readers that schemas are checked with. */
interface SchemaCheckOptions {
  /** The numbers that `x-maxBytes` and `x-maxItems` name. */
  readonly limits?: { readonly [name: string]: unknown };
  /** Readers of hot calls, by the names of the schemas that they read: they check those. */
  readonly readers?: ReadonlyMap<string, FindProblems>;
  /** True where members and their types are checked alone: the use case has rules of its own for values. */
  readonly shapeOnly?: boolean;
}

/** Keywords about the shape of a value: which members, of which types. */
const SHAPE: ReadonlySet<string> = new Set([
  "$ref",
  "type",
  "format",
  "items",
  "properties",
  "required",
  "additionalProperties",
]);
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** A member of a schema, or each element of it, that is of a schema with a name. */
interface Part {
  readonly path: readonly string[];
  readonly isList: boolean;
  readonly name: string;
}

interface Compiled {
  /** Ends at the first error. */
  readonly fast: ValidateFunction;
  readonly whole: ValidateFunction;
  readonly parts: readonly Part[];
}

/** Throws "invalid_request" for problems. */
export function requireNone(problems: readonly Problem[]): void {
  if (problems.length > 0) throw invalidRequest(problems);
}

/** Checks values by schemas with names. Compiles a schema when it is first needed. */
export class SchemaCheck {
  readonly #schemas: Schemas;
  readonly #options: SchemaCheckOptions;
  readonly #compiled = new Map<string, Compiled>();
  #ajv: { readonly fast: Ajv2020; readonly whole: Ajv2020 } | undefined;

  constructor(schemas: Schemas, options: SchemaCheckOptions = {}) {
    this.#schemas = schemas;
    this.#options = options;
  }

  /** Returns what is wrong with a value, by pointer. */
  problems(name: string, value: unknown): readonly Problem[] {
    const steps = this.inSteps(name, value);
    for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
  }

  /** As {@link SchemaCheck.problems}, with pauses. */
  *inSteps(name: string, value: unknown): Generator<undefined, readonly Problem[]> {
    const found: Problem[] = [];
    yield* this.#check(name, value, "", found);
    return found.sort((a, b) => ORDER.compare(a.pointer, b.pointer));
  }

  *#check(name: string, value: unknown, pointer: string, found: Problem[]): Generator<undefined, void> {
    const read = this.#options.readers?.get(name);
    if (read !== undefined) {
      found.push(...read(value, pointer));
      // What has a reader of its own may be long in each element of a list.
      yield;
      return;
    }
    const { fast, whole, parts } = this.#compiledFor(name);
    if (!fast(value)) {
      // To look at the members of a huge object once takes a while, and it is not small.
      const small = fast.errors?.[0]?.keyword !== "maxProperties" && isSmall(value, parts);
      if (small) whole(value);
      found.push(...problemsOf((small ? whole : fast).errors ?? [], pointer));
    }
    for (const { path, isList, name: inner } of parts) {
      const member = memberAt(value, path);
      if (member === undefined) continue;
      const at = path.reduce<string>(pointTo, pointer);
      if (!isList) yield* this.#check(inner, member, at, found);
      else if (Array.isArray(member)) yield* this.#checkList(inner, member, at, found);
    }
  }

  *#checkList(
    name: string,
    list: readonly unknown[],
    pointer: string,
    found: Problem[],
  ): Generator<undefined, void> {
    for (const [index, element] of list.entries()) {
      if (found.length >= MAX_PROBLEMS) return;
      if (index % STEP === 0) yield;
      yield* this.#check(name, element, pointTo(pointer, index), found);
    }
  }

  #compiledFor(name: string): Compiled {
    let compiled = this.#compiled.get(name);
    if (compiled === undefined) {
      const parts: Part[] = [];
      const alone = this.#alone(this.#schemas[name] as Schema, [], parts);
      this.#ajv ??= { fast: compiler(false), whole: compiler(true) };
      compiled = { fast: this.#ajv.fast.compile(alone), whole: this.#ajv.whole.compile(alone), parts };
      this.#compiled.set(name, compiled);
    }
    return compiled;
  }

  /** A schema without those that it refers to, which become parts, and with its limits as numbers. */
  #alone(schema: Schema, path: readonly string[], parts: Part[]): Schema {
    const { limits = {}, shapeOnly = false } = this.#options;
    const { items, properties, additionalProperties, oneOf, ...rest } = shapeOnly ? shapeOf(schema) : schema;
    const within = (inner: Schema) => this.#alone(inner, path, parts);
    return {
      ...rest,
      ...([rest.type].flat().includes("string") && !shapeOnly
        ? { textBytes: numberOf(rest["x-maxBytes"] ?? Number.MAX_SAFE_INTEGER, limits) }
        : {}),
      ...(rest["x-maxItems"] === undefined ? {} : { maxItems: numberOf(rest["x-maxItems"], limits) }),
      ...(items === undefined || cut(items, { path, isList: true }, parts) ? {} : { items: within(items) }),
      ...(isSchema(additionalProperties)
        ? { additionalProperties: within(additionalProperties), maxProperties: MAX_MEMBERS }
        : {}),
      ...(additionalProperties === false
        ? { additionalProperties, maxProperties: Object.keys(properties ?? {}).length + MAX_UNKNOWN }
        : {}),
      ...(oneOf === undefined ? {} : { oneOf: oneOf.map(within) }),
      ...(properties === undefined
        ? {}
        : {
            properties: Object.fromEntries(
              Object.entries(properties).map(([name, inner]) => {
                const at = [...path, name];
                const isPart = cut(inner, { path: at, isList: false }, parts);
                return [name, isPart ? {} : this.#alone(inner, at, parts)];
              }),
            ),
          }),
    } as Schema;
  }
}

/** A schema without what it says about values; an enumeration of texts implies their type. */
function shapeOf(schema: Schema): Schema {
  const { type, enum: values } = schema;
  const isText = type === undefined && values?.every((value) => typeof value === "string") === true;
  const kept = Object.fromEntries(Object.entries(schema).filter(([keyword]) => SHAPE.has(keyword)));
  return isText ? { ...kept, type: "string" } : kept;
}

function numberOf(limit: string | number, limits: { readonly [name: string]: unknown }): number {
  return typeof limit === "number" ? limit : (limits[limit] as number);
}

function isSchema(value: Schema["additionalProperties"]): value is Schema {
  return typeof value === "object";
}

/**
 * Returns whether a schema refers to another one, and so becomes a part, or is checked by the reader of the value.
 */
function cut({ $ref, "x-later": later }: Schema, part: Omit<Part, "name">, parts: Part[]): boolean {
  if ($ref === undefined) return later === true;
  parts.push({ ...part, name: $ref.slice(PREFIX.length) });
  return true;
}

function memberAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const name of path) at = isObject(at) ? at[name] : undefined;
  return at;
}

/** Whether a value without its parts has so few members and elements that every problem is told. */
function isSmall(value: unknown, parts: readonly Part[]): boolean {
  let left = MAX_SIZE;
  let text = MAX_NAMES;
  const count = (inner: unknown, path: readonly string[]): boolean => {
    if (--left < 0) return false;
    if (typeof inner !== "object" || inner === null || isPart(path, parts)) return true;
    if (Array.isArray(inner)) return inner.length <= left && inner.every((one) => count(one, [...path, ""]));
    // Parsed JSON inherits no enumerable member.
    for (const name in inner) {
      text -= name.length;
      if (text < 0 || !count((inner as Record<string, unknown>)[name], [...path, name])) return false;
    }
    return true;
  };
  return count(value, []);
}

function isPart(path: readonly string[], parts: readonly Part[]): boolean {
  return parts.some(
    (part) => part.path.length === path.length && part.path.every((name, at) => name === path[at]),
  );
}

function compiler(allErrors: boolean): Ajv2020 {
  const { _, Ajv2020 } = schemaLibrary();
  const ajv = new Ajv2020({
    allErrors,
    verbose: true,
    strict: false,
    validateSchema: false,
    meta: false,
    formats: { byte: BASE64, "date-time": true },
  });
  ajv.addKeyword({
    keyword: "textBytes",
    type: "string",
    // Generated code: a call of a keyword's function costs a microsecond for each text.
    code: (cxt) => {
      const sound = cxt.gen.scopeValue("func", { ref: isSound });
      cxt.fail(_`!${sound}(${cxt.data}, ${cxt.schema})`);
    },
  });
  return ajv;
}

function isSound(text: string, bytes: number): boolean {
  return text.isWellFormed() && fits(text, bytes);
}
