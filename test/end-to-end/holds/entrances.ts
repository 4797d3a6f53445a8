/**
 * The entrances of the service, as its documents declare them, and the members of their requests that take many values.
 * A new operation or a new list is among them by being declared.
 */

import type {
  MediaType,
  OpenApiDocument,
  Operation,
  Parameter,
  Reference,
  Schema,
} from "../../../src/http/openapi/openapi-types.ts";
import { serviceDocument } from "../../../src/listeners/service-document.ts";
import { userDocument } from "../../../src/listeners/user-document.ts";
import { withDocuments } from "./document-schemas.ts";
import { LISTS_IN_TEXTS } from "./lists-in-texts.ts";

/** A member of a request that takes many values: its place, and what one value is. */
export interface ManyPlace {
  /** Names of members from the body to it; "0" is the first element of a list, "*" the first member of a map. */
  readonly path: readonly string[];
  readonly kind: "list" | "map" | "text";
  /** One of the alternatives for a value; undefined where only the example says it. */
  readonly item: Schema | undefined;
  /** Number of the alternative, from 0; of a text, that of the list in it. @see LISTS_IN_TEXTS */
  readonly alternative: number;
}

/** An operation. */
export interface Entrance {
  readonly listener: "service" | "user";
  readonly method: string;
  readonly template: string;
  readonly operation: Operation;
  readonly parameters: readonly Parameter[];
  readonly type: string | undefined;
  readonly media: MediaType | undefined;
  readonly places: readonly ManyPlace[];
  readonly schemas: OpenApiDocument["components"]["schemas"];
}

/** Deepest nesting of references to a schema in itself. */
const MOST_DEPTH = 12;

function resolved<T extends object>(document: OpenApiDocument, value: T | Reference): T {
  if (!("$ref" in value)) return value;
  const [, , kind = "", name = ""] = (value.$ref as string).split("/");
  return (document.components as unknown as Record<string, Record<string, T>>)[kind]?.[name] as T;
}

/** A schema, its reference followed. */
export function followed(schemas: OpenApiDocument["components"]["schemas"], schema: Schema): Schema {
  const { $ref } = schema;
  return $ref === undefined ? schema : (schemas[$ref.split("/").at(-1) as string] as Schema);
}

/** The alternatives of a schema, references followed; itself where it has none. */
export function alternativesOf(schemas: OpenApiDocument["components"]["schemas"], schema: Schema): Schema[] {
  const own = followed(schemas, schema);
  const alternatives = [...(own.oneOf ?? []), ...(own.anyOf ?? [])].filter(
    (one) => one.$ref !== undefined || one.type !== undefined || one.oneOf !== undefined,
  );
  return alternatives.length === 0 ? [own] : alternatives.flatMap((one) => alternativesOf(schemas, one));
}

function isType(schema: Schema, type: string): boolean {
  return [schema.type].flat().includes(type as never);
}

/** True for an object of any members. A schema that asks for some of them and describes none is a condition of another. */
function isAnyObject({ properties, required, additionalProperties, ...own }: Schema): boolean {
  const saysNothing = properties === undefined && required === undefined && additionalProperties !== false;
  return isType(own, "object") && saysNothing;
}

/** The places that take many values, by schema. */
function* placesIn(
  schemas: OpenApiDocument["components"]["schemas"],
  schema: Schema,
  path: readonly string[],
  within: readonly string[],
): Generator<ManyPlace> {
  const { $ref } = schema;
  if (path.length > MOST_DEPTH || ($ref !== undefined && within.includes($ref))) return;
  const inner = $ref === undefined ? within : [...within, $ref];
  const own = followed(schemas, schema);
  if (isType(own, "string") && own.enum === undefined && own.const === undefined) yield* textsAt(path);
  for (const part of [...(own.oneOf ?? []), ...(own.anyOf ?? []), ...(own.allOf ?? [])])
    yield* placesIn(schemas, part, path, inner);
  if (own.items !== undefined) {
    for (const [alternative, item] of alternativesOf(schemas, own.items).entries())
      yield { path, kind: "list", item, alternative };
    yield* placesIn(schemas, own.items, [...path, "0"], inner);
  }
  for (const [name, member] of Object.entries(own.properties ?? {}))
    yield* placesIn(schemas, member, [...path, name], inner);
  const { additionalProperties: further } = own;
  if (typeof further === "object") {
    for (const [alternative, item] of alternativesOf(schemas, further).entries())
      yield { path, kind: "map", item, alternative };
    yield* placesIn(schemas, further, [...path, "*"], inner);
  } else if (isAnyObject(own)) yield { path, kind: "map", item: { type: "string" }, alternative: 0 };
}

/** A place of a text: each of the lists that it can be. */
function textsAt(path: readonly string[]): readonly ManyPlace[] {
  return LISTS_IN_TEXTS.map((_, alternative) => ({ path, kind: "text", item: undefined, alternative }));
}

/** The lists of an example: bodies whose schema says no more than that they are objects have them, too. */
function* listsIn(value: unknown, path: readonly string[]): Generator<ManyPlace> {
  if (typeof value === "string") yield* textsAt(path);
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    if (value.length > 0) yield { path, kind: "list", item: undefined, alternative: 0 };
    yield* listsIn(value[0], [...path, "0"]);
    return;
  }
  for (const [name, member] of Object.entries(value)) yield* listsIn(member, [...path, name]);
}

/** The name of an entrance, for people. */
export function nameOf({ listener, method, template, type }: Entrance): string {
  return `${listener} ${method} ${template}${type?.includes("x-ndjson") ? " as lines" : ""}`;
}

const SIGNS = { list: "[]", map: "{}", text: '""' } as const;

/** The name of a place, for people. */
export function placeName({ path, kind, alternative }: ManyPlace): string {
  return `${path.join(".")}${SIGNS[kind]}${alternative === 0 ? "" : ` as ${alternative}`}`;
}

function placesOf(schemas: OpenApiDocument["components"]["schemas"], media: MediaType): ManyPlace[] {
  const places = new Map<string, ManyPlace>();
  for (const place of [...placesIn(schemas, media.schema, [], []), ...listsIn(media.example, [])]) {
    const name = placeName(place);
    if (!places.has(name)) places.set(name, place);
  }
  return [...places.values()];
}

function entrancesOf(listener: "service" | "user", document: OpenApiDocument): Entrance[] {
  const { schemas } = document.components;
  return Object.entries(document.paths).flatMap(([template, item]) =>
    Object.entries(item as Record<string, Operation>).flatMap(([method, operation]): Entrance[] => {
      const shared = {
        listener,
        method: method.toUpperCase(),
        template,
        operation,
        parameters: (operation.parameters ?? []).map((one) => resolved(document, one)),
        schemas,
      };
      const bodies = Object.entries(operation.requestBody?.content ?? {});
      if (bodies.length === 0) return [{ ...shared, type: undefined, media: undefined, places: [] }];
      return bodies.map(([type, media]) => ({ ...shared, type, media, places: placesOf(schemas, media) }));
    }),
  );
}

/** All entrances of both listeners. */
export function allEntrances(): readonly Entrance[] {
  const document = (made: OpenApiDocument): OpenApiDocument =>
    withDocuments(JSON.parse(JSON.stringify(made)));
  return [
    ...entrancesOf("service", document(serviceDocument("0.0.0-test"))),
    ...entrancesOf("user", document(userDocument("0.0.0-test"))),
  ];
}
