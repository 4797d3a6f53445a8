/** Compiles the permission tables of a catalog (spec/security §2). `endpoints.ts` is the contract. */

import type { Catalog } from "@svc-authorizer/policy/catalog/catalog.ts";
import type { EndpointApi, EndpointTable } from "@svc-authorizer/policy/catalog/endpoint-table.ts";
import { type CompiledRow, compileRow } from "./compiled-row.ts";
import type { Endpoints, MatchedRequest, UnmatchedRequest, WireRequest } from "./endpoints.ts";
import { GATEWAY_PATHS, type PathStyle, ROUTER_PATHS } from "./path-styles.ts";
import { PathTrie } from "./path-trie.ts";
import { readQuery } from "./query-parameters.ts";
import { readValues } from "./read-values.ts";
import { RememberedMatches } from "./remembered-matches.ts";
import { requirementOf } from "./requirement.ts";
import { needsOf } from "./row-needs.ts";
import { type Operations, selectRow } from "./select-row.ts";
import { Unreadable } from "./unreadable.ts";

const STYLES: Readonly<Record<EndpointApi, PathStyle>> = {
  main: ROUTER_PATHS,
  replication: ROUTER_PATHS,
  gateway: GATEWAY_PATHS,
};

/** A compiled table. */
interface Table {
  readonly style: PathStyle;
  readonly byMethod: ReadonlyMap<string, PathTrie<Operations>>;
}

const UNKNOWN: UnmatchedRequest = {
  operation: null,
  reason: "unknown_endpoint",
  message: "no endpoint has this method and path",
};

function unreadable({ message }: Unreadable): UnmatchedRequest {
  return { operation: null, reason: "unreadable_request", message };
}

function segmentsOf(template: string): readonly string[] {
  return template === "/" ? [] : template.slice(1).split("/");
}

function compileTable({ api, basePath }: EndpointTable, rows: readonly CompiledRow[]): Table {
  const byMethod = new Map<string, PathTrie<Operations>>();
  for (const compiled of rows) {
    const { method, path } = compiled.row;
    if (method === null || path === null) continue;
    const trie = byMethod.get(method) ?? new PathTrie();
    byMethod.set(method, trie);
    trie.at(segmentsOf(basePath + path), () => ({ rows: [] })).rows.push(compiled);
  }
  return { style: STYLES[api], byMethod };
}

function answer({ style, byMethod }: Table, request: WireRequest): MatchedRequest | UnmatchedRequest {
  const segments = style.split(request.path, request.bucket);
  if (segments instanceof Unreadable) return unreadable(segments);
  const found = byMethod.get(request.method)?.find(segments);
  if (found === undefined) return UNKNOWN;
  const query = readQuery(request.query);
  if (query instanceof Unreadable) return unreadable(query);
  const compiled = selectRow(found.at, query, request.header);
  if (compiled === undefined) return UNKNOWN;
  if (compiled instanceof Unreadable) return unreadable(compiled);
  const values = readValues(compiled, request, found.segments, query, style);
  if (values instanceof Unreadable) return unreadable(values);
  const needs = needsOf(compiled, request, values, query);
  if (needs instanceof Unreadable) return unreadable(needs);
  const { operation, authentication } = compiled.row;
  return { operation, authentication, ...needs };
}

/** Compiles the permission tables of a catalog. */
export function openEndpoints(catalog: Pick<Catalog, "endpoints">): Endpoints {
  const tables = new Map<string, Table>();
  const operations = new Map<string, CompiledRow>();
  const headers = new Set(["x-amz-copy-source"]);
  for (const [api, table] of catalog.endpoints) {
    const rows = table.rows.map(compileRow);
    tables.set(api, compileTable(table, rows));
    for (const { headers: read } of table.rows) for (const name of read) headers.add(name);
    // S3 operations may have the names of others.
    if (api === "gateway") continue;
    for (const compiled of rows) operations.set(compiled.row.operation, compiled);
  }
  const read = (request: WireRequest): MatchedRequest | UnmatchedRequest => {
    const table = tables.get(request.api);
    return table === undefined ? UNKNOWN : answer(table, request);
  };
  const remembered = new RememberedMatches(headers);
  return {
    match: (request) => remembered.of(request, read),
    requirement: (operation, values) => requirementOf(operations.get(operation), operation, values),
  };
}
