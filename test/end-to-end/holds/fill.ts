/** Bodies in which one member has as many values as it is told to. */

import { Ajv2020 } from "ajv/dist/2020.js";
import type { Schema } from "../../../src/http/openapi/openapi-types.ts";
import { range } from "../hostile-calls.ts";
import { alternativesOf, type Entrance, followed, type ManyPlace } from "./entrances.ts";
import { NAMES } from "./heavy-world.ts";
import { LISTS_IN_TEXTS } from "./lists-in-texts.ts";

type Members = Record<string, unknown>;

const isMembers = (value: unknown): value is Members => typeof value === "object" && value !== null;

/** The text of a member. Values at different places of a list are different ones. */
function textOf(path: readonly string[], index: number): string {
  const names = path.filter((name) => name !== "0" && name !== "*");
  for (let from = 0; from < names.length; from++) {
    const made = NAMES.get(names.slice(from).join("."));
    if (made !== undefined) return made(index);
  }
  return `value-${index}`;
}

/** Builds values of schemas. */
class Maker {
  readonly #schemas: Entrance["schemas"];
  readonly #index: number;

  constructor(schemas: Entrance["schemas"], index: number) {
    this.#schemas = schemas;
    this.#index = index;
  }

  /** A value of a schema, with the members that it must have; all where it must have none. */
  make(schema: Schema, path: readonly string[], depth = 0): unknown {
    const [own = {}] = alternativesOf(this.#schemas, schema);
    if (own.const !== undefined) return own.const;
    if (own.enum !== undefined) return textIn(own.enum, path, this.#index);
    const type = [own.type].flat()[0];
    if (type === "array") return depth > 3 ? [] : [this.make(own.items ?? {}, [...path, "0"], depth + 1)];
    if (type === "boolean") return true;
    if (type === "integer" || type === "number") return own.minimum ?? 1;
    if (type === "object") return this.#object(own, path, depth);
    return textOf(path, this.#index);
  }

  #object(own: Schema, path: readonly string[], depth: number): Members {
    const { properties = {}, required, additionalProperties } = own;
    const members: Members = {};
    if (typeof additionalProperties === "object")
      members[keyOf(path, 0)] = this.make(additionalProperties, [...path, "*"], depth + 1);
    for (const [name, member] of Object.entries(properties)) {
      const isWanted =
        required === undefined
          ? followed(this.#schemas, member).required !== undefined
          : required.includes(name);
      if (isWanted) members[name] = this.make(member, [...path, name], depth + 1);
    }
    return members;
  }
}

function textIn(values: readonly unknown[], path: readonly string[], index: number): unknown {
  const text = textOf(path, index);
  return values.includes(text) ? text : values[0];
}

/** The name of a member of a map. */
function keyOf(path: readonly string[], index: number): string {
  return (
    NAMES.get(`${path.filter((name) => name !== "0" && name !== "*").at(-1)}{}`)?.(index) ?? `field-${index}`
  );
}

/** A value like that of an example, with names of its own; the first is as it is. */
function varied(value: unknown, name: string, index: number): unknown {
  if (index === 0) return value;
  if (typeof value === "string") {
    if (name === "action" || name === "resource") return textOf([name], index);
    return /^(name|username|id|userName|displayName|0)$/.test(name) ? `${value}-${index}` : value;
  }
  if (!isMembers(value)) return value;
  if (Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, varied(inner, key, index)]));
}

/** The value at the place. */
function many(entrance: Entrance, place: ManyPlace, example: unknown, count: number): unknown {
  const { path, item, kind, alternative } = place;
  if (kind === "text") return LISTS_IN_TEXTS[alternative]?.(count);
  const first = Array.isArray(example) ? example[0] : undefined;
  const like = item === undefined ? first : fittingExample(entrance, item);
  const value = (index: number): unknown =>
    like === undefined
      ? new Maker(entrance.schemas, index).make(item ?? {}, [...path, kind === "list" ? "0" : "*"])
      : varied(like, "0", index);
  const values = range(count, value);
  if (kind === "list") return values;
  const beside = isMembers(example) && !Array.isArray(example) ? example : {};
  return { ...beside, ...Object.fromEntries(values.map((one, index) => [keyOf(path, index), one])) };
}

/** The schema of a member, of the first alternative that has it. */
function memberSchema(schemas: Entrance["schemas"], schema: Schema, name: string): Schema | undefined {
  const own = followed(schemas, schema);
  if (name === "0") return own.items ?? firstOf(schemas, own, name);
  if (name === "*") {
    const { additionalProperties: further } = own;
    return typeof further === "object" ? further : firstOf(schemas, own, name);
  }
  return own.properties?.[name] ?? firstOf(schemas, own, name);
}

function firstOf(schemas: Entrance["schemas"], own: Schema, name: string): Schema | undefined {
  for (const part of [...(own.oneOf ?? []), ...(own.anyOf ?? []), ...(own.allOf ?? [])]) {
    const found = memberSchema(schemas, part, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A body, one member of which can have as many values as wanted. */
interface Fillable {
  /** The body with so many values at the place. */
  with(count: number): unknown;
  /** Bytes of one value as JSON. */
  readonly bytesEach: number;
}

/**
 * Fills a place of the bodies of an entrance. What lies on the way to it comes from the example, or from the schema. Members
 * that the schema does not allow beside it are left out.
 * @param isValid what the schema says about a body
 */
export function fillable(
  entrance: Entrance,
  place: ManyPlace,
  isValid: (body: unknown) => boolean,
): Fillable {
  const { media, schemas } = entrance;
  const build = (count: number): unknown => {
    const put = (schema: Schema | undefined, given: unknown, at: number): unknown => {
      const step = place.path[at];
      if (step === undefined) return many(entrance, place, given, count);
      const inner = schema === undefined ? undefined : memberSchema(schemas, schema, step);
      if (step === "0") {
        const first = Array.isArray(given) ? given[0] : undefined;
        return [put(inner, first ?? fittingExample(entrance, inner), at + 1)];
      }
      const base = isMembers(given) && !Array.isArray(given) ? given : {};
      const key = step === "*" ? keyOf(place.path.slice(0, at), 0) : step;
      const filled = { ...base, [key]: put(inner, base[key], at + 1) };
      return schema === undefined ? filled : settled(entrance, schema, filled, place.path.slice(0, at), key);
    };
    return put(media?.schema, media?.example, 0);
  };
  // Which members go with the place does not depend on the number of values.
  const small = build(1);
  const left = isValid(small) ? [] : superfluous(small, place.path, isValid);
  return {
    with: (count) => without(build(count), left, place.path),
    bytesEach: (JSON.stringify(build(101)).length - JSON.stringify(build(1)).length) / 100,
  };
}

/** The example of the whole body, where it is such a value. */
function fittingExample({ schemas, media }: Entrance, schema: Schema | undefined): unknown {
  const example = media?.example;
  if (schema === undefined || !isMembers(example)) return undefined;
  const fits = alternativesOf(schemas, schema).some(
    ({ properties, required }) =>
      properties !== undefined &&
      required === undefined &&
      Object.keys(example).every((name) => name in properties),
  );
  return fits ? example : undefined;
}

/** An object on the way, as the alternative has it that knows the next step: without others, with what must be there. */
function settled(
  { schemas, media }: Entrance,
  schema: Schema,
  given: Members,
  path: readonly string[],
  key: string,
): Members {
  const common = ({ properties = {} }: Schema) =>
    Object.keys(given).filter((name) => name in properties).length;
  const [own] = alternativesOf(schemas, schema)
    .filter(
      ({ properties = {}, additionalProperties }) => key in properties || additionalProperties !== false,
    )
    .toSorted((a, b) => common(b) - common(a));
  if (own === undefined) return given;
  const { properties = {}, required = [], additionalProperties } = own;
  const made = Object.fromEntries(
    Object.entries(given).filter(([name]) => name in properties || additionalProperties !== false),
  );
  const example = isMembers(media?.example) ? media.example : {};
  for (const name of required) {
    if (name in made) continue;
    made[name] =
      path.length > 0 && name in example
        ? example[name]
        : new Maker(schemas, 0).make(properties[name] ?? {}, [...path, name]);
  }
  return made;
}

/** A member of an object on the way to a place: how far on the way, and its name. */
type Beside = readonly [depth: number, name: string];

function objectAt(body: unknown, path: readonly string[], depth: number): Members | undefined {
  let value = body;
  for (const step of path.slice(0, depth)) value = isMembers(value) ? value[step] : undefined;
  return isMembers(value) && !Array.isArray(value) ? value : undefined;
}

function without(body: unknown, left: readonly Beside[], path: readonly string[]): unknown {
  if (left.length === 0) return body;
  const copy = structuredClone(body);
  for (const [depth, name] of left) delete objectAt(copy, path, depth)?.[name];
  return copy;
}

/** Members without which a body is valid: as few as possible, up to three. */
function superfluous(
  body: unknown,
  path: readonly string[],
  isValid: (body: unknown) => boolean,
): readonly Beside[] {
  const members: Beside[] = path.flatMap((step, depth) =>
    Object.keys(objectAt(body, path, depth) ?? {})
      .filter((name) => name !== step)
      .map((name): Beside => [depth, name]),
  );
  let sets: readonly (readonly Beside[])[] = [[]];
  for (let size = 1; size <= 3; size++) {
    sets = sets.flatMap((set) => members.filter((one) => !set.includes(one)).map((one) => [...set, one]));
    for (const set of sets) if (isValid(without(body, set, path))) return set;
  }
  return [];
}

/** Compilers of the bodies of a document, whose schemas are read once. */
const COMPILERS = new WeakMap<Entrance["schemas"], Ajv2020>();

function compilerOf(schemas: Entrance["schemas"]): Ajv2020 {
  let ajv = COMPILERS.get(schemas);
  if (ajv === undefined) {
    ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(referring({ $defs: schemas }), "document");
    COMPILERS.set(schemas, ajv);
  }
  return ajv;
}

/** A schema whose references lead into the document. */
function referring(schema: unknown): object {
  return JSON.parse(JSON.stringify(schema).replaceAll("#/components/schemas/", "document#/$defs/"));
}

/** Returns whether the schema of an entrance allows a body. */
export function validOf({ media, schemas }: Entrance): (body: unknown) => boolean {
  return compilerOf(schemas).compile(referring({ ...media?.schema }));
}
