/** Records as answers: a page of them, or one (decision-log.md §3.1). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { Reply } from "../../../http/route.ts";
import { pageOf } from "../../rest/pages.ts";
import type { UserCall } from "../call.ts";
import type { AuditRecords, RecordQuery } from "./ports.ts";

/** Answers a page, newest first. */
export async function listRecords(
  { query }: UserCall,
  records: AuditRecords,
  wanted: RecordQuery,
): Promise<Reply> {
  const { after, amount } = pageOf(query);
  const found = await records.page(wanted, { amount, ...(after === "" ? {} : { after }) });
  const pagination = {
    has_more: found.next !== "",
    max_per_page: 1000,
    results: found.records.length,
    next_offset: found.next,
  };
  const shared = JSON.stringify({ pagination, node: records.node, chains: found.chains }).slice(0, -1);
  return { status: 200, body: `${shared},"results":[${found.records.join(",")}]}` };
}

/** Returns the record that a path names, as JSON text; throws "not_found". */
export async function oneRecord(params: readonly string[], records: AuditRecords): Promise<string> {
  const [id = ""] = params;
  const record = await records.get(id);
  if (record === undefined) throw new AuthorizerError("not_found", "no record of that id");
  return record;
}
