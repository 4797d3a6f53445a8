/**
 * The entities of a search (decision-api.md §2): which of their fields each search needs. Unknown fields are ignored.
 */

import type { SearchPage } from "../../decisions/searches.ts";
import { type Problem, pointTo } from "../../errors.ts";
import { invalidRequest } from "../../http/errors.ts";
import { isObject } from "../../http/json-body.ts";
import type { Properties } from "../../model/entities.ts";
import { longestText, optionalObjectProblems, textProblems } from "./authzen.ts";
import type { DecisionLimits } from "./limits.ts";
import { type AskedPage, readAskedPage } from "./search-pages.ts";

/** What is searched for. */
export type SearchKind = "subject" | "resource" | "action";

/** The texts that each search needs of each entity: the id of what is searched for is ignored. */
const NEEDED = {
  subject: { subject: ["type"], action: ["name"], resource: ["type", "id"] },
  resource: { subject: ["type", "id"], action: ["name"], resource: ["type"] },
  action: { subject: ["type", "id"], resource: ["type", "id"] },
} as const satisfies Record<SearchKind, Record<string, readonly string[]>>;

/** A search without its page. `S` is the search of the decisions. */
export type Entities<S extends { readonly page: SearchPage }> = Omit<S, "page">;

/** Reads the entities and the page of a body; throws "invalid_request" with everything that is wrong with them. */
export function readSearch<S extends { readonly page: SearchPage }>(
  kind: SearchKind,
  body: Record<string, unknown>,
  limits: DecisionLimits,
): { readonly entities: Entities<S>; readonly asked: AskedPage } {
  const problems: Problem[] = [];
  const entities: Record<string, unknown> = {};
  for (const [part, fields] of Object.entries(NEEDED[kind])) {
    entities[part] = readEntity(body[part], part, fields, limits, problems);
  }
  const { context } = body;
  problems.push(...optionalObjectProblems(context, "/context"));
  if (isObject(context)) entities["context"] = context as Properties;
  const asked = readAskedPage(body["page"], "/page", problems);
  if (problems.length > 0) throw invalidRequest(problems);
  return { entities: entities as unknown as Entities<S>, asked };
}

function readEntity(
  value: unknown,
  part: string,
  fields: readonly string[],
  limits: DecisionLimits,
  problems: Problem[],
): Record<string, unknown> {
  const pointer = pointTo("", part);
  const entity: Record<string, unknown> = {};
  if (!isObject(value)) {
    problems.push({ pointer, message: value === undefined ? "required" : "expected an object" });
    return entity;
  }
  for (const field of fields) {
    problems.push(...textProblems(value[field], pointTo(pointer, field), longestText(part, field, limits)));
    entity[field] = value[field];
  }
  const { properties } = value;
  problems.push(...optionalObjectProblems(properties, pointTo(pointer, "properties")));
  if (isObject(properties)) entity["properties"] = properties;
  return entity;
}
