/** The sources of `packages/contract`: types of the APIs from the OpenAPI documents that the service publishes. */

import { isDeepStrictEqual } from "node:util";
import { serviceDocument } from "../src/listeners/service-document.ts";
import { userDocument } from "../src/listeners/user-document.ts";
import { type Json, type JsonObject, referencesIn, typesOf } from "./openapi-types.ts";

const BASE = "/api/v1";
/** The API of mirrors; its paths stand whole in the names of operations. */
const REPLICATION = "/service/replication/";
const DECISION_API = "decision-api.gen.ts";

/** Schemas that no operation of the decision API names by itself, and that users of the client still name. */
const EXTRA = ["Error"];

/**
 * The files of the package below `src`, each with its text.
 * @param head comment at the beginning of each
 */
export async function contractTypes(head: string): Promise<Readonly<Record<string, string>>> {
  const decisions = schemasOfDecisions(documentOf(serviceDocument));
  const management = documentOf(userDocument);
  const all = schemasOf(management);
  const isShared = (name: string): boolean => isDeepStrictEqual(all[name], decisions[name]);
  return {
    [DECISION_API]: await typesOf(decisions, head),
    "management-api.gen.ts": `${head}
${await typesFrom(all, isShared)}
${operationsOf(management)}`,
  };
}

/** The document as JSON has it. */
function documentOf(document: (version: string) => unknown): JsonObject {
  return JSON.parse(JSON.stringify(document("0")));
}

function schemasOf(document: JsonObject): JsonObject {
  return (document["components"] as JsonObject)["schemas"] as JsonObject;
}

/** The types of schemas; those of the decision API come from its file. */
async function typesFrom(schemas: JsonObject, isShared: (name: string) => boolean): Promise<string> {
  const names = Object.keys(schemas);
  const own = Object.fromEntries(Object.entries(schemas).filter(([name]) => !isShared(name)));
  const shared = names.filter(isShared).sort();
  const list = shared.map((name) => `  ${name},\n`).join("");
  return `import type {
${list}} from "./${DECISION_API}";

export type {
${list}};

${await typesOf(own, "", new Set(shared))}`;
}

/** The schemas that the operations below `/access/v1` and the metadata document need, with all that they refer to. */
function schemasOfDecisions(document: JsonObject): JsonObject {
  const paths = Object.entries(document["paths"] as JsonObject);
  const wanted = paths.filter(([path]) => path.startsWith("/access/") || path.startsWith("/.well-known/"));
  const all = schemasOf(document);
  const names = new Set([...EXTRA, ...wanted.flatMap(([, operations]) => [...referencesIn(operations)])]);
  for (const name of names) for (const next of referencesIn(all[name] ?? null)) names.add(next);
  return Object.fromEntries([...names].sort().map((name) => [name, all[name] ?? null]));
}

/** `Operations`: method and path below the base → path, query, body, answer. */
function operationsOf(document: JsonObject): string {
  const operations = Object.entries(document["paths"] as JsonObject)
    .filter(([path]) => path.startsWith(`${BASE}/`) || path.startsWith(REPLICATION))
    .flatMap(([path, methods]) =>
      Object.entries(methods as JsonObject).map(
        ([method, operation]) =>
          `  "${method.toUpperCase()} ${path.startsWith(REPLICATION) ? path : path.slice(BASE.length)}": ${operationType(operation as JsonObject)};\n`,
      ),
    );
  return `/** The operations below \`${BASE}\`, by method and path behind it; those of mirrors by their whole path. */
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
