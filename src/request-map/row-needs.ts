/** The permissions of a row for the values of a request: the tree, and the check of each item. */

import type { RequiredOnSets } from "@svc-authorizer/policy/model/resource-set.ts";
import type { BodyItems, CompiledRow } from "./compiled-row.ts";
import type { MatchedRequest, PerItem, WireRequest } from "./endpoints.ts";
import { fillLeaf, fillResource, fillTree, type Lookup, shownTemplate } from "./fill-template.ts";
import type { QueryParameters } from "./query-parameters.ts";
import { readItems, type Values } from "./read-values.ts";
import { Unreadable } from "./unreadable.ts";

/** The members of a matched request besides its operation. */
type Needs = Pick<MatchedRequest, "required" | "perItem" | "bodyMissing">;

/** One `and` of all nodes, without an `and` inside another. */
function all(required: RequiredOnSets | null, more: readonly RequiredOnSets[]): RequiredOnSets {
  // A request about no item needs nothing of the data server, and empty is never allow (spec/security §2.4).
  if (required === null && more.length === 0) return { or: [] };
  if (required === null) return more.length === 1 ? (more[0] as RequiredOnSets) : { and: more };
  if (more.length === 0) return required;
  return { and: [...("and" in required ? required.and : [required]), ...more] };
}

/** The permissions of the items of a body; an empty list adds none. */
function itemNeeds(items: BodyItems, body: unknown, values: Values): readonly RequiredOnSets[] | Unreadable {
  const read = readItems(items, body);
  if (read instanceof Unreadable) return read;
  return read.flatMap((item) =>
    items.leaves.map((leaf) => fillLeaf(leaf, (name) => item.get(name) ?? values.get(name))),
  );
}

/** True if each item is checked: `presign` counts unless it is exactly `false`. */
function isChecked({ row }: CompiledRow, query: QueryParameters): boolean {
  const parameter = row.perItem?.unlessFalse?.slice("query.".length);
  if (parameter === undefined) return row.perItem !== undefined;
  const value = query.values.get(parameter);
  return value !== undefined && value !== "false";
}

function perItemOf({ row, perItem }: CompiledRow, valueFor: Lookup): PerItem | undefined {
  if (row.perItem === undefined || perItem === undefined) return undefined;
  return {
    over: row.perItem.over,
    action: perItem.action,
    resource: shownTemplate(perItem.resource, valueFor),
    all: fillResource(perItem.resource, valueFor),
  };
}

/** The permissions of the row. */
export function needsOf(
  compiled: CompiledRow,
  request: WireRequest,
  values: Values,
  query: QueryParameters,
): Needs | Unreadable {
  const { items, reads, row } = compiled;
  const valueFor: Lookup = (name) => values.get(name);
  const compared: Lookup = (name) => query.values.get(name.slice("query.".length));
  const required = compiled.required === undefined ? null : fillTree(compiled.required, valueFor, compared);
  if (items !== undefined && request.body !== undefined) {
    const more = itemNeeds(items, request.body, values);
    if (more instanceof Unreadable) return more;
    return { required: all(required, more), bodyMissing: false };
  }
  const perItem = isChecked(compiled, query) ? perItemOf(compiled, valueFor) : undefined;
  const readsBody = items !== undefined || reads.body.length > 0;
  const open = row.forEach === undefined ? [] : (items?.leaves ?? []).map((leaf) => fillLeaf(leaf, valueFor));
  return {
    required: open.length === 0 ? required : all(required, open),
    ...(perItem !== undefined && { perItem }),
    bodyMissing: row.perItem?.from === "xml_body" || (readsBody && request.body === undefined),
  };
}
