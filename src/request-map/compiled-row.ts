/** A compiled row of a permission table: its templates, and the parts of a request that it reads. */

import type { EndpointRow } from "@svc-authorizer/policy/catalog/endpoint-table.ts";
import { parseTemplate } from "@svc-authorizer/policy/model/template.ts";
import {
  comparedIn,
  compileLeaf,
  compileTree,
  type LeafTemplate,
  placeholdersOf,
  type TreeTemplate,
} from "./fill-template.ts";

/** A parameter that selects a row. An undefined `value` matches any value. */
interface QuerySelector {
  readonly name: string;
  readonly value: string | undefined;
}

/** A list in a JSON body whose items are checked one by one. */
export interface BodyItems {
  /** Names of the members that lead to the list. */
  readonly path: readonly string[];
  /** For messages. */
  readonly shown: string;
  /** Needed for each item. */
  readonly leaves: readonly LeafTemplate[];
  /** Placeholders of an item, each with the members that lead to its value (none if the item is the value). */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** A compiled row. */
export interface CompiledRow {
  readonly row: EndpointRow;
  readonly required: TreeTemplate | undefined;
  readonly perItem: LeafTemplate | undefined;
  readonly items: BodyItems | undefined;
  /** Names of the parameters of its path, in their order. */
  readonly parameters: readonly string[];
  readonly selectors: readonly QuerySelector[];
  /** Placeholders to read, by their place; those of the query without `query.`. */
  readonly reads: {
    readonly query: readonly string[];
    readonly body: readonly string[];
    readonly facts: readonly string[];
    readonly copySource: boolean;
  };
  /** All parameters of the query that the row reads, also for conditions. None of them may be repeated. */
  readonly queryNames: ReadonlySet<string>;
}

const QUERY = "query.";
const BODY = "body.";

/** The rest of each name after `prefix`, for names that begin with it. */
function named(names: Iterable<string>, prefix: string): readonly string[] {
  return [...new Set(names)]
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length));
}

/** The members in a placeholder of a body: `body.copy_source.path` → `copy_source`, `path`. */
export function membersOf(placeholder: string): readonly string[] {
  return placeholder.slice(BODY.length).split(".");
}

function compileItems({ forEach, perItem }: EndpointRow): BodyItems | undefined {
  const over = forEach?.over ?? (perItem?.from === "json_body" ? perItem.over : undefined);
  if (over === undefined) return undefined;
  const leaves = (forEach?.required ?? (perItem === undefined ? [] : [perItem])).map(compileLeaf);
  const item = `${over}[]`;
  const names = leaves.flatMap(({ resource }) => resource.names).filter((name) => name.startsWith(item));
  const values = names.map((name) => {
    const members = name === item ? [] : name.slice(item.length + 1).split(".");
    return [name, members] as const;
  });
  return { path: membersOf(over), shown: over, leaves, values: new Map(values) };
}

function compileSelector(text: string): QuerySelector {
  const equals = text.indexOf("=");
  if (equals < 0) return { name: text, value: undefined };
  return { name: text.slice(0, equals), value: text.slice(equals + 1) };
}

/** Compiles a row. */
export function compileRow(row: EndpointRow): CompiledRow {
  const required = row.required === null ? undefined : compileTree(row.required);
  const perItem = row.perItem && compileLeaf(row.perItem);
  const items = compileItems(row);
  const ofItems = new Set([...(items?.values.keys() ?? []), row.perItem?.item]);
  const names = [
    ...(required === undefined ? [] : placeholdersOf(required)),
    ...(perItem?.resource.names ?? []),
    ...(items?.leaves.flatMap(({ resource }) => resource.names) ?? []),
  ].filter((name) => !ofItems.has(name));
  const selectors = row.query.map(compileSelector);
  const unlessFalse = row.perItem?.unlessFalse === undefined ? [] : [row.perItem.unlessFalse];
  const compared = required === undefined ? [] : comparedIn(required);
  return {
    row,
    required,
    perItem,
    items,
    parameters: parseTemplate(row.path ?? "").names.map((name) => name.replace(/\+$/, "")),
    selectors,
    reads: {
      query: named(names, QUERY),
      body: named(names, BODY).map((name) => BODY + name),
      facts: row.facts,
      copySource: names.some((name) => name.startsWith("copy_source.")),
    },
    queryNames: new Set([
      ...selectors.map(({ name }) => name),
      ...named([...names, ...compared, ...unlessFalse], QUERY),
    ]),
  };
}
