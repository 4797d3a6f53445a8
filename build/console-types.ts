/** Generated sources of the console: the operations of the management API with their types, and the catalog. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { OPERATOR_NAMES } from "@svc-authorizer/policy/model/condition-operators.ts";
import { type Json, type JsonObject, typesOf } from "./openapi-types.ts";

const POLICIES = join(import.meta.dirname, "..", "policies");
const BASE = "/api/v1";

/** Types of all bodies and answers, and `Operations`: method and path below the base → path, query, body, answer. */
export async function consoleTypes(document: JsonObject, head: string): Promise<string> {
  const schemas = (document["components"] as JsonObject)["schemas"] as JsonObject;
  const operations = Object.entries(document["paths"] as JsonObject)
    .filter(([path]) => path.startsWith(`${BASE}/`))
    .flatMap(([path, methods]) =>
      Object.entries(methods as JsonObject).map(
        ([method, operation]) =>
          `  "${method.toUpperCase()} ${path.slice(BASE.length)}": ${operationType(operation as JsonObject)};\n`,
      ),
    );
  return `${await typesOf(schemas, head)}
/** The operations below \`${BASE}\`, by method and path. */
export interface Operations {
${operations.join("")}}
`;
}

function operationType(operation: JsonObject): string {
  const parameters = (operation["parameters"] ?? []) as JsonObject[];
  const of = (place: string): string => {
    const members = parameters
      .filter((one) => one["in"] === place)
      .map((one) => `${one["name"]}${one["required"] === true ? "" : "?"}: ${plainType(one["schema"])}`);
    return members.length === 0 ? "Record<never, never>" : `{ ${members.join("; ")} }`;
  };
  const answers = Object.entries(operation["responses"] as JsonObject);
  const success = answers.find(([status]) => status.startsWith("2"))?.[1] as JsonObject;
  return `{ path: ${of("path")}; query: ${of("query")}; body: ${jsonOf(operation["requestBody"])}; answer: ${jsonOf(success)} }`;
}

function plainType(schema: Json | undefined): string {
  const { type } = (schema ?? {}) as JsonObject;
  if (type === "integer" || type === "number") return "number";
  return type === "boolean" ? "boolean" : "string";
}

/** The named schema of a JSON body. */
function jsonOf(part: Json | undefined): string {
  const content = ((part ?? {}) as JsonObject)["content"] as JsonObject | undefined;
  const schema = (content?.["application/json"] as JsonObject | undefined)?.["schema"] as
    | JsonObject
    | undefined;
  const reference = schema?.["$ref"];
  return typeof reference === "string" ? (reference.split("/").at(-1) as string) : "undefined";
}

interface Action {
  readonly name: string;
  readonly meaning: string;
  readonly resources?: readonly string[];
}

interface Type {
  readonly type: string;
  readonly meaning: string;
  readonly arn: string;
}

interface ShippedPolicy {
  readonly name: string;
  readonly description: string;
  readonly statement: readonly unknown[];
}

/** The actions and the resource types of the catalog, with what they mean, and the condition operators. */
export function consoleCatalog(head: string): string {
  const read = (file: string) => JSON.parse(readFileSync(join(POLICIES, file), "utf8"));
  const actions = (read("actions.json").actions as Action[]).map(({ name, meaning, resources }) =>
    JSON.stringify({ name, meaning, resources: resources ?? [] }),
  );
  const types = (read("resource-types.json").resource_types as Type[]).map(({ type, meaning, arn }) =>
    JSON.stringify({ type, meaning, arn }),
  );
  const shipped = (read("preconfigured/policies.json").policies as ShippedPolicy[]).map(
    ({ name, description, statement }) => JSON.stringify({ name, description, statement }),
  );
  const operators = OPERATOR_NAMES.map((name) => JSON.stringify(name));
  return `${head}
/** An action that policies can name. */
export interface CatalogAction {
  readonly name: string;
  readonly meaning: string;
  /** Types of the resources that it is decided on. */
  readonly resources: readonly string[];
}

/** A type of resources. */
export interface CatalogType {
  readonly type: string;
  readonly meaning: string;
  /** The form of its ARNs in partition \`svc\`, with names in braces. */
  readonly arn: string;
}

/** All actions, by service. */
export const ACTIONS: readonly CatalogAction[] = [
${actions.join(",\n")},
];

/** All resource types. */
export const RESOURCE_TYPES: readonly CatalogType[] = [
${types.join(",\n")},
];

/** A policy that comes with the service. */
export interface ShippedPolicy {
  readonly name: string;
  readonly description: string;
  /** In partition \`svc\`. */
  readonly statement: readonly unknown[];
}

/** The policies that come with the service. */
export const SHIPPED_POLICIES: readonly ShippedPolicy[] = [
${shipped.join(",\n")},
];

/** Condition operators without \`IfExists\`, \`ForAnyValue:\` and \`ForAllValues:\`. */
export const OPERATORS: readonly string[] = [
${operators.join(",\n")},
];
`;
}
