/** Records as answers: a page of them, or one (spec/decision-log §3.1). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { RequestRefused } from "../../../http/errors.ts";
import type { Reply } from "../../../http/route.ts";
import { pageOf } from "../../rest/pages.ts";
import type { UserCall } from "../call.ts";
import type { ManagementParts } from "../declaration.ts";
import type { AuditRecords, RecordQuery } from "./ports.ts";

/** Names of other nodes that an error names. */
const MOST_NAMED = 20;

/** Answers a page, newest first, of this node; the other nodes are named first. */
export async function listRecords(
  { query }: UserCall,
  records: AuditRecords,
  wanted: RecordQuery,
  { otherNodes }: Pick<ManagementParts, "otherNodes">,
): Promise<Reply> {
  const { after, amount } = pageOf(query);
  const found = await records.page(wanted, { amount, ...(after === "" ? {} : { after }) });
  const pagination = {
    has_more: found.next !== "",
    max_per_page: 1000,
    results: found.records.length,
    next_offset: found.next,
  };
  const missing_nodes = await otherNodes();
  const { chains, lost } = found;
  const head = {
    ...{ node: records.node, missing_nodes, chains, lost },
    ...maskedFilters(records, wanted),
    pagination,
  };
  const shared = JSON.stringify(head).slice(0, -1);
  return { status: 200, body: `${shared},"results":[${found.records.join(",")}]}` };
}

/** The member that names filters which find no masked values; no member where there is none. */
export function maskedFilters(
  records: AuditRecords,
  wanted: RecordQuery,
): { readonly masked_filters?: readonly string[] } {
  const masked = records.masked?.(wanted) ?? [];
  return masked.length === 0 ? {} : { masked_filters: masked };
}

/** Returns the record that a path names, as JSON text; throws "not_found". */
export async function oneRecord(
  params: readonly string[],
  records: AuditRecords,
  { otherNodes }: Pick<ManagementParts, "otherNodes">,
): Promise<string> {
  const [id = ""] = params;
  const record = await records.get(id);
  if (record !== undefined) return record;
  const others = await otherNodes();
  if (others.length === 0) throw new AuthorizerError("not_found", "no record of that id");
  const names = others.slice(0, MOST_NAMED).join(", ");
  const message = `node ${records.node} has no record of that id; ${others.length} other nodes were not asked: ${names}`;
  throw new RequestRefused(404, message, [], "not_found");
}
