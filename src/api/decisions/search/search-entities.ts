/** The entities of a search (spec/decision-api §2). Fields that the search does not need are left out. */

import type { SearchPage } from "../../../decisions/searches.ts";
import { isObject } from "../../../http/body/json-body.ts";

/** Kinds of entities that are searched for. */
export type SearchKind = "subject" | "resource" | "action";

/** The texts that each search needs of each entity: the id of what is searched for is ignored. */
const NEEDED = {
  subject: { subject: ["type"], action: ["name"], resource: ["type", "id"] },
  resource: { subject: ["type", "id"], action: ["name"], resource: ["type"] },
  action: { subject: ["type", "id"], resource: ["type", "id"] },
} as const satisfies Record<SearchKind, Record<string, readonly string[]>>;

/** A search without its page. `S` is the search of the decisions. */
export type Entities<S extends { readonly page: SearchPage }> = Omit<S, "page">;

/** Returns the entities of a body that was checked. */
export function entitiesOf<S extends { readonly page: SearchPage }>(
  kind: SearchKind,
  body: Readonly<Record<string, unknown>>,
): Entities<S> {
  const entities: Record<string, unknown> = {};
  for (const [part, fields] of Object.entries(NEEDED[kind])) {
    const given = body[part] as Readonly<Record<string, unknown>>;
    const kept = [...fields, ...(isObject(given["properties"]) ? ["properties"] : [])];
    entities[part] = Object.fromEntries(kept.map((field) => [field, given[field]]));
  }
  if (isObject(body["context"])) entities["context"] = body["context"];
  return entities as unknown as Entities<S>;
}
