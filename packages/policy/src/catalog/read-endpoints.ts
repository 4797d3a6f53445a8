/** Reads the permission tables: from the spelling of JSON to typed rows, and into the configured partition. */

import type { RequiredLeaf } from "../model/decision.ts";
import type {
  EndpointApi,
  EndpointRow,
  EndpointTable,
  PerItemTemplate,
  RequiredTemplate,
} from "./endpoint-table.ts";
import { inPartition } from "./partition.ts";
import type { PolicyFiles } from "./policy-files.ts";

type PerItemOnDisk = Omit<PerItemTemplate, "unlessFalse"> & { readonly unless_false?: string };

/** A row in the spelling of JSON. Members with their default value may be missing. */
type RowOnDisk = Pick<
  EndpointRow,
  "operation" | "method" | "path" | "authentication" | "required" | "source" | "note"
> &
  Partial<Pick<EndpointRow, "query" | "headers" | "facts" | "availability" | "deprecated" | "reference">> & {
    readonly any_authenticated_user?: true;
    readonly for_each?: NonNullable<EndpointRow["forEach"]>;
    readonly per_item?: PerItemOnDisk;
    readonly email?: { readonly value: string; readonly unless_false: string };
  };

interface TableOnDisk {
  readonly api: EndpointApi;
  readonly base_path: string;
  readonly rows: readonly RowOnDisk[];
}

function readPerItem({ unless_false: unlessFalse, ...rest }: PerItemOnDisk): PerItemTemplate {
  return unlessFalse === undefined ? rest : { ...rest, unlessFalse };
}

function readRow(row: RowOnDisk): EndpointRow {
  const { any_authenticated_user, for_each, per_item, email, ...rest } = row;
  return {
    ...rest,
    query: row.query ?? [],
    headers: row.headers ?? [],
    facts: row.facts ?? [],
    availability: row.availability ?? [],
    deprecated: row.deprecated ?? false,
    reference: row.reference ?? [],
    anyAuthenticatedUser: any_authenticated_user ?? false,
    ...(for_each !== undefined && { forEach: for_each }),
    ...(per_item !== undefined && { perItem: readPerItem(per_item) }),
    ...(email !== undefined && { email: { value: email.value, unlessFalse: email.unless_false } }),
  };
}

/** The tables of checked files, in the order of their paths. */
export function readEndpoints(files: PolicyFiles): readonly EndpointTable[] {
  return files.documents("endpoints").map(({ document }) => {
    const { api, base_path: basePath, rows } = document as TableOnDisk;
    return { api, basePath, rows: rows.map(readRow) };
  });
}

function leafInPartition<T extends RequiredLeaf>(leaf: T, partition: string): T {
  return { ...leaf, resource: inPartition(leaf.resource, partition) };
}

function treeInPartition(tree: RequiredTemplate, partition: string): RequiredTemplate {
  if ("action" in tree) return leafInPartition(tree, partition);
  if ("and" in tree) return { and: tree.and.map((child) => treeInPartition(child, partition)) };
  if ("any_resource" in tree) return tree;
  return {
    choice: tree.choice.map((it) => ({ ...it, required: treeInPartition(it.required, partition) })),
  };
}

function rowInPartition(row: EndpointRow, partition: string): EndpointRow {
  const { required, forEach, perItem } = row;
  return {
    ...row,
    required: required && treeInPartition(required, partition),
    ...(forEach !== undefined && {
      forEach: { ...forEach, required: forEach.required.map((leaf) => leafInPartition(leaf, partition)) },
    }),
    ...(perItem !== undefined && { perItem: leafInPartition(perItem, partition) }),
  };
}

/** The same table with its resources in another partition. */
export function tableInPartition(table: EndpointTable, partition: string): EndpointTable {
  return { ...table, rows: table.rows.map((row) => rowInPartition(row, partition)) };
}
