/** The calls that read users or groups, and the search for them (spec/scim §2). */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { readsAttribute } from "./filter/matching.ts";
import {
  equalText,
  type ListQuery,
  type ListRequest,
  listReply,
  listRequest,
  searchQuery,
  Window,
} from "./lists.ts";
import { baseOf, type ScimCall, type ScimParts, scimReply } from "./parts.ts";
import { type Projection, projectionOf } from "./projection.ts";
import type { Attributes } from "./read-values.ts";
import type { ResourceKind } from "./schema/attribute.ts";
import { ScimError } from "./scim-error.ts";

/** One kind of resources, and how it is read from the directory. */
export interface ReadKind<T extends { readonly id: string }> {
  readonly kind: ResourceKind;
  /** The attribute that comes from other records. */
  readonly related: string;
  get(parts: ScimParts, id: string): Promise<T>;
  /** Attributes besides `id` that at most one resource has with the same text, each with its look-up. */
  readonly unique: Readonly<Record<string, (parts: ScimParts, text: string) => Promise<T | undefined>>>;
  /** Calls `visit` for all resources, page by page. */
  each(parts: ScimParts, visit: (items: readonly T[]) => void): Promise<void>;
  /** The resource without the related attribute. */
  bare(item: T, base: string): Attributes;
  /** The whole resources. */
  whole(parts: ScimParts, items: readonly T[]): AsyncIterable<Attributes>;
}

/** Lists resources. */
export function listCall<T extends { readonly id: string }>(of: ReadKind<T>) {
  return (parts: ScimParts) =>
    ({ query }: ScimCall) =>
      list(of, parts, query);
}

/** Lists resources as a body asks for them. */
export function searchCall<T extends { readonly id: string }>(of: ReadKind<T>) {
  return (parts: ScimParts) =>
    ({ body }: ScimCall) =>
      list(of, parts, searchQuery(body));
}

/** Gets a resource. */
export function getCall<T extends { readonly id: string }>(of: ReadKind<T>) {
  return (parts: ScimParts) =>
    async ({ params: [id = ""], query }: ScimCall) => {
      const projection = projectionOf(of.kind, query);
      return scimReply(200, await shownOne(of, parts, await of.get(parts, id), projection));
    };
}

async function list<T extends { readonly id: string }>(of: ReadKind<T>, parts: ScimParts, query: ListQuery) {
  const request = listRequest(of.kind, query);
  const projection = projectionOf(of.kind, query);
  const { items, total } = await find(of, parts, request);
  return listReply(shown(of, parts, items, projection), { total, startIndex: request.startIndex });
}

/** The resources, as far as a call wants to see them. */
export async function* shown<T extends { readonly id: string }>(
  of: ReadKind<T>,
  parts: ScimParts,
  items: readonly T[],
  projection: Projection,
): AsyncGenerator<Attributes> {
  if (projection.shows(of.related)) {
    for await (const resource of of.whole(parts, items)) yield projection.apply(resource);
  } else {
    const base = baseOf(parts);
    for (const item of items) yield projection.apply(of.bare(item, base));
  }
}

/** One resource, as far as a call wants to see it. */
export async function shownOne<T extends { readonly id: string }>(
  of: ReadKind<T>,
  parts: ScimParts,
  item: T,
  projection: Projection,
): Promise<Attributes> {
  for await (const resource of shown(of, parts, [item], projection)) return resource;
  return {};
}

/** Finds the resources that pass a filter. */
export async function find<T extends { readonly id: string }>(
  of: ReadKind<T>,
  parts: ScimParts,
  request: ListRequest,
): Promise<Window<T>> {
  const { filter, test } = request;
  const window = new Window<T>(request);
  const base = baseOf(parts);
  const readsRelated = filter !== undefined && readsAttribute(filter, of.related);
  const candidate = await candidateOf(of, parts, request);
  if (candidate !== "any") {
    if (candidate === undefined) return window;
    if (!readsRelated) {
      if (test(of.bare(candidate, base))) window.add(candidate);
    } else for await (const whole of of.whole(parts, [candidate])) if (test(whole)) window.add(candidate);
    return window;
  }
  if (readsRelated) {
    const needed = ["id", ...Object.keys(of.unique)].map((name) => `${name} eq "…"`);
    const choice = `${needed.slice(0, -1).join(", ")} or ${needed.at(-1)}`;
    throw new ScimError("invalidFilter", `a filter on ${of.related} needs ${choice} too`);
  }
  await of.each(parts, (items) => {
    for (const item of items) if (filter === undefined || test(of.bare(item, base))) window.add(item);
  });
  return window;
}

/** The only resource that can pass the filter; `any` if the filter names none. */
async function candidateOf<T extends { readonly id: string }>(
  of: ReadKind<T>,
  parts: ScimParts,
  { filter }: ListRequest,
): Promise<T | undefined | "any"> {
  for (const [attribute, lookUp] of Object.entries(of.unique)) {
    const text = equalText(filter, attribute);
    if (text !== undefined) return lookUp(parts, text);
  }
  const id = equalText(filter, "id");
  if (id === undefined) return "any";
  return of.get(parts, id).catch((error) => {
    if (isErrorCode(error, "not_found")) return undefined;
    throw error;
  });
}
