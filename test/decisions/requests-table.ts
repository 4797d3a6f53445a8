/** The table of docs/requests.md: what rows need of which a request does not say everything. From the policy data. */

import type {
  EndpointApi,
  EndpointRow,
  EndpointTable,
} from "@svc-authorizer/policy/catalog/endpoint-table.ts";
import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import { openLeaves } from "@svc-authorizer/policy/engine/decide/decide-sets.ts";
import type { RequiredPermissions } from "@svc-authorizer/policy/model/decision.ts";
import type { RequestAnswer } from "../../src/decisions/requests.ts";
import type { Endpoints, WireRequest } from "../../src/request-map/endpoints.ts";
import { openEndpoints } from "../../src/request-map/open-endpoints.ts";
import { openWorld } from "./world.ts";

/** Marks the table in the page. */
const TABLE_MARKS = ["<!-- begin: rows that are open -->\n", "<!-- end: rows that are open -->"] as const;

/** The page with this table between the marks. */
export function withTable(page: string, table: string): string {
  const [begin, end] = TABLE_MARKS;
  return page.slice(0, page.indexOf(begin) + begin.length) + table + page.slice(page.indexOf(end));
}

/** A request of the row that says all it can without a body: each value is its placeholder. */
function requestOf({ api, basePath }: EndpointTable, row: EndpointRow): WireRequest {
  const path = (basePath + row.path).replaceAll(/\{(\w+)\+?\}/g, "%7B$1%7D");
  const read = [...JSON.stringify([row.required, row.perItem, row.forEach]).matchAll(/\{query\.(\w+)\}/g)];
  const query = [
    ...row.query,
    ...new Set(read.map(([, name]) => `${name}=%7Bquery.${name}%7D`)),
    ...(row.perItem?.unlessFalse === undefined
      ? []
      : [`${row.perItem.unlessFalse.replace("query.", "")}=true`]),
  ].join("&");
  const header = (name: string) => (row.headers.includes(name) ? "repository/ref/key" : undefined);
  return { api, method: row.method ?? "", path, query, header };
}

/** Returns the part of a request that is left open; undefined if there is none. */
function openPart(row: EndpointRow, request: WireRequest, endpoints: Endpoints): string | undefined {
  const match = endpoints.match(request);
  if (match.operation !== row.operation) throw new Error(`${row.operation} is matched as ${match.operation}`);
  if (match.bodyMissing) return "body";
  if (match.perItem !== undefined) return "items of the answer";
  const open = match.required !== null && openLeaves(match.required).length > 0;
  return open ? `fact ${row.facts.map((name) => `\`${name}\``).join(", ")}` : undefined;
}

function needs(required: RequiredPermissions | null): string {
  if (required === null) return "nothing";
  if ("action" in required) return `\`${required.action}\` on \`${required.resource}\``;
  if ("any_resource" in required) return `\`${required.any_resource.action}\` on any resource`;
  if ("or" in required) throw new Error("no row has an or");
  return required.and.map(needs).join("<br>");
}

function left({ perItem, required }: RequestAnswer, forwardAuth: RequestAnswer): string {
  if (perItem === undefined) return "as forward-auth";
  if (JSON.stringify(required) === JSON.stringify(forwardAuth.required)) return "as forward-auth";
  return `${needs(required)}; each of \`${perItem.over}\`: \`${perItem.action}\` on \`${perItem.resource}\``;
}

/** The table in Markdown. */
export async function requestsTable(): Promise<string> {
  const catalog = await openCatalog({ partition: "svc" });
  const endpoints = openEndpoints(catalog);
  const world = await openWorld({ endpoints });
  await world.directory.users.create({ username: "alice" });
  const common = { user: "alice", missingBody: "every_resource", context: new Map(), requestId: "" } as const;
  const lines = [
    "| Operation | Request | Open | Forward-auth needs | `/request` needs |",
    "|---|---|---|---|---|",
  ];
  try {
    for (const api of ["main", "gateway", "replication"] as const) {
      const table = catalog.endpoints.get(api) as EndpointTable;
      for (const row of table.rows.filter(({ path, method }) => path !== null && method !== null)) {
        const request = requestOf(table, row);
        const open = openPart(row, request, endpoints);
        if (open === undefined) continue;
        const asked = { ...common, request };
        const every = await world.decisions.request({
          ...asked,
          items: "required",
          entrance: "forward_auth",
        });
        const told = await world.decisions.request({ ...asked, items: "told", entrance: "request" });
        lines.push(
          `| ${nameOf(api, row)} | \`${shownRequest(row)}\` | ${open} | ${needs(every.required)} | ${left(told, every)} |`,
        );
      }
    }
  } finally {
    await world.close();
  }
  return `${lines.join("\n")}\n`;
}

function nameOf(api: EndpointApi, { operation }: EndpointRow): string {
  return api === "main" ? operation : `${operation} (${api})`;
}

function shownRequest({ method, path, query, perItem }: EndpointRow): string {
  const parameter = perItem?.unlessFalse?.replace("query.", "");
  const parameters = [...query, ...(parameter === undefined ? [] : [`${parameter}=true`])];
  return `${method} ${path}${parameters.length === 0 ? "" : `?${parameters.join("&")}`}`;
}
