/** The list and the stream of the records of a log: the decision log and the audit log have the same. */

import type { Parameter } from "../../../http/openapi/openapi-types.ts";
import { schemaRef } from "../../../http/schema/schema-forms.ts";
import { PAGING } from "../../rest/declared.ts";
import type { ManagementParts, UserDeclaration } from "../declaration.ts";
import { stillPermitted } from "../permissions/still-permitted.ts";
import type { AuditRecords } from "./ports.ts";
import { listRecords } from "./read-records.ts";
import { recordQuery } from "./record-query.ts";
import { openRecordStreams } from "./record-stream.ts";

/** Returns the parts that all operations on a log share. */
export function sharedBy(tag: string, action: string) {
  const permission = { action, resource: "*" };
  return { access: "permitted", permission, method: "GET", priority: "bulk", tag } as const;
}

/** A log whose records are listed and followed. */
interface RecordsOfLog {
  readonly shared: ReturnType<typeof sharedBy>;
  readonly path: string;
  readonly list: { readonly id: string; readonly summary: string; readonly schema: string };
  readonly stream: { readonly id: string; readonly summary: string };
  readonly filters: readonly Parameter[];
  readonly example: object;
  /** Returns the records; throws "not_found" where none are kept. */
  readonly recordsOf: (parts: ManagementParts) => AuditRecords;
}

/** Declares the list and the stream. */
export function listAndStream(log: RecordsOfLog): readonly UserDeclaration[] {
  const { shared, filters, recordsOf } = log;
  const list: UserDeclaration = {
    ...shared,
    id: log.list.id,
    path: log.path,
    summary: log.list.summary,
    description:
      "Newest first, of this node and all its processes. The answer names the node, and the other nodes, which are not asked.",
    query: [...filters, ...PAGING.filter(({ name }) => name === "after" || name === "amount")],
    answer: {
      status: 200,
      description: "A page, newest first.",
      schema: schemaRef(log.list.schema),
      example: {
        node: "node-1",
        missing_nodes: ["node-2"],
        pagination: { has_more: false, max_per_page: 1000, results: 1, next_offset: "" },
        chains: ["node-1-0"],
        lost: 0,
        results: [log.example],
      },
    },
    errors: [400, 404],
    handler: (parts) => (call) =>
      listRecords(call, recordsOf(parts), recordQuery(call.query, filters), parts),
  };
  const stream: UserDeclaration = {
    ...shared,
    id: log.stream.id,
    path: `${log.path}/stream`,
    summary: log.stream.summary,
    description:
      "Server-sent events: first one of type `nodes`, which names the node and the others, which are not followed; then one for each record that this node writes from now on, within a second.",
    query: filters,
    answer: {
      status: 200,
      description: "The events.",
      type: "text/event-stream",
      schema: { type: "string" },
      example: `event: nodes\ndata: {"node":"node-1","missing_nodes":["node-2"]}\n\ndata: ${JSON.stringify(log.example)}\n\n`,
    },
    errors: [400, 404],
    handler: (parts) => {
      const streams = openRecordStreams();
      return (call) => {
        const query = recordQuery(call.query, filters);
        return streams.serve(
          call,
          recordsOf(parts),
          query,
          stillPermitted(parts, call, shared.permission),
          parts,
        );
      };
    },
  };
  return [list, stream];
}
