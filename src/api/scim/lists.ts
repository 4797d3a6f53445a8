/** Lists of resources: filter and page (RFC 7644, section 3.4.2). */

import { isObject } from "../../http/body/json-body.ts";
import type { Query } from "../../http/request/query.ts";
import type { Reply } from "../../http/route.ts";
import { bulkPause } from "../../schedule/bulk-pause.ts";
import { type Filter, parseFilter } from "./filter/filter.ts";
import { compileFilter, type Test } from "./filter/matching.ts";
import { messageMembers, namesSchema } from "./messages.ts";
import { jsonInTurns, scimText } from "./parts.ts";
import type { Attributes } from "./read-values.ts";
import type { ResourceKind } from "./schema/attribute.ts";
import { MOST_RESULTS } from "./schema/discovery.ts";
import { ScimError } from "./scim-error.ts";

const LIST_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:ListResponse";
const DEFAULT_COUNT = 100;
const MOST_PAGE_TEXT = 4 * 1_024 * 1_024;

/** The parameters of a list, by name. */
export type ListQuery = Pick<Query, "get">;

const SEARCH_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:SearchRequest";

/** The parameters in the body of a search (RFC 7644, section 3.4.3). */
export function searchQuery(body: unknown): ListQuery {
  if (!isObject(body)) throw new ScimError("invalidSyntax", "a JSON object is needed");
  const members = messageMembers(body);
  if (!namesSchema(members["schemas"], SEARCH_SCHEMA)) {
    throw new ScimError("invalidSyntax", `schemas must name ${SEARCH_SCHEMA}`);
  }
  const values = new Map(Object.entries(members).map(([name, value]) => [name, textOf(name, value)]));
  return { get: (name) => values.get(name.toLowerCase()) };
}

function textOf(name: string, value: unknown): string | undefined {
  if (value === null) return undefined;
  if (typeof value === "string" || Number.isInteger(value)) return String(value);
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value.join(",");
  throw new ScimError(
    "invalidValue",
    `${name.slice(0, 100)}: expected a text, an integer or a list of texts`,
  );
}

/** A part of a list. */
export interface ListRequest {
  readonly filter: Filter | undefined;
  /** True for a resource that passes the filter. */
  readonly test: Test;
  /** 1 for the first. */
  readonly startIndex: number;
  readonly count: number;
}

/** Reads the part of a list that a query asks for. */
export function listRequest(kind: ResourceKind, query: ListQuery): ListRequest {
  const text = query.get("filter");
  const filter = text === undefined || text.trim() === "" ? undefined : parseFilter(text);
  const count = integer(query, "count");
  return {
    filter,
    test: filter === undefined ? () => true : compileFilter(filter, kind),
    startIndex: Math.max(1, integer(query, "startIndex") ?? 1),
    count: Math.min(MOST_RESULTS, Math.max(0, count ?? DEFAULT_COUNT)),
  };
}

function integer(query: ListQuery, name: string): number | undefined {
  const text = query.get(name);
  if (text === undefined || text === "") return undefined;
  if (!/^-?\d{1,15}$/.test(text)) throw new ScimError("invalidValue", `${name}: expected an integer`);
  return Number(text);
}

/** A window on items that come one after the other. */
export class Window<T> {
  readonly items: T[] = [];
  total = 0;
  readonly #first: number;
  readonly #count: number;

  constructor({ startIndex, count }: Pick<ListRequest, "startIndex" | "count">) {
    this.#first = startIndex;
    this.#count = count;
  }

  /** Counts an item, and keeps it if it is in the window. */
  add(item: T): void {
    this.total++;
    if (this.total >= this.#first && this.items.length < this.#count) this.items.push(item);
  }
}

/**
 * The answer with a page of resources, written in slices. A page ends early where it would have more than
 * `MOST_PAGE_TEXT` characters; `itemsPerPage` says how many it has.
 */
export async function listReply(
  resources: AsyncIterable<Attributes> | Iterable<Attributes>,
  { total, startIndex }: { readonly total: number; readonly startIndex: number },
): Promise<Reply> {
  const texts: string[] = [];
  const pause = bulkPause();
  let length = 0;
  for await (const resource of resources) {
    const text = await jsonInTurns(resource);
    length += text.length;
    if (length > MOST_PAGE_TEXT && texts.length > 0) break;
    texts.push(text);
    await pause();
  }
  const head = { schemas: [LIST_SCHEMA], totalResults: total, startIndex, itemsPerPage: texts.length };
  return scimText(200, `${JSON.stringify(head).slice(0, -1)},"Resources":[${texts.join(",")}]}`);
}

/** The text with which a filter asks that an attribute be equal, if nothing else can pass it. */
export function equalText(filter: Filter | undefined, name: string): string | undefined {
  if (filter === undefined) return undefined;
  if (filter.op === "and") return equalText(filter.left, name) ?? equalText(filter.right, name);
  if (filter.op !== "eq" || typeof filter.value !== "string" || filter.path.sub !== undefined)
    return undefined;
  return filter.path.name.toLowerCase() === name.toLowerCase() ? filter.value : undefined;
}
